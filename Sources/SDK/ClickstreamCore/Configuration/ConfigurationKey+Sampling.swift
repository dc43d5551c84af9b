/// Reason for which rates of sampling are not accepted.
struct SamplingProblem: Error {
    /// The rest of the sentence after the key.
    var text: String
}

extension ConfigurationKey {
    /// Converts the value of the key `sampling`.
    ///
    /// Accepts names of the app's own events: names with the reserved prefix belong to the lifecycle, of which no event
    /// can be left out.
    static func rates(_ attributes: Attributes) throws(SamplingProblem) -> [String: Double] {
        var rates: [String: Double] = [:]
        for element in attributes {
            let rate: Double? =
                switch element.value {
                case .integer(let number): Double(number)
                case .double(let number): number
                case .decimal(let number): Double(number.text)
                case .string, .boolean: nil
                }
            let name = Characters.escaped(element.name)
            guard !Characters.areReserved(element.name) else {
                throw SamplingProblem(text: "cannot sample '\(name)': names with '_' are reserved")
            }
            guard let rate, 0...1 ~= rate else {
                throw SamplingProblem(text: "must be rates from 0 to 1, but that of '\(name)' is not")
            }
            rates[element.name] = rate
        }
        return rates
    }

    /// The problem of a word that is none of the accepted ones.
    func refusal(of word: String, as spelling: String, words: [String]) -> ConfigurationProblem {
        ConfigurationProblem(
            kind: .unfitValue,
            name: spelling,
            message: "'\(spelling)' must be \(expectation), not '\(Characters.escaped(word))'",
            suggestion: Suggestion.nearest(to: word, among: words)
        )
    }
}
