import ArgumentParser
import ClickstreamCore
import ClickstreamJudges

extension ValueCondition {
    /// Parses the value of `--where`.
    /// - Throws: `ValidationError` with the cause and an example.
    init(option text: String) throws {
        do throws(ParseError) {
            try self.init(text)
        } catch {
            throw RefusedValue.error(
                "--where '\(Console.escaped(text))': \(error.reason); for example \(Self.examples)"
            )
        }
    }

    /// The condition itself, if its value is a text that resembles a number.
    var numberLikeText: NumberLikeText? {
        guard let number, number.double.isFinite else { return nil }
        let comparison = "\(path.text) \(isEquality ? "==" : "!=")"
        return NumberLikeText(
            argument: "\(comparison) \(number.text)",
            number: "\(comparison) \(number.shortest.text)"
        )
    }
}
