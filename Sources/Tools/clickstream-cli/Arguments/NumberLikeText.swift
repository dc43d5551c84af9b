import ClickstreamCore

/// Argument whose value is a number in another spelling than the SDK writes, such as `price=99.90`: a text.
struct NumberLikeText: Sendable, Hashable {
    /// The argument as written.
    var argument: String
    /// The argument that means the number, such as `price:=99.90`.
    var number: String

    /// Prints one warning that names all arguments.
    /// - Parameter verb: participle of the treatment of a value, such as `recorded`.
    static func warn(of texts: [NumberLikeText], _ verb: String) {
        var seen: Set<NumberLikeText> = []
        let texts = texts.filter { seen.insert($0).inserted }
        guard !texts.isEmpty else { return }
        Console.warn(
            "\(verb) as text: \(texts.map(\.argument).joined(separator: ", ")); for "
                + Plural.verb(texts.count, "a number", "numbers")
                + " write \(texts.map(\.number).joined(separator: ", "))"
        )
    }

    /// JSON spelling of a decimal number with all its digits: `99.90`, `7` for `007`, `0.5` for `.5`.
    ///
    /// White space around the number is ignored.
    /// - Returns: `nil` if the text is not a decimal number, or beyond the range of a double.
    static func json(of text: String) -> String? {
        let form = /([+\-]?)([0-9]*)(?:\.([0-9]*))?([eE][+\-]?[0-9]+)?/
        guard let match = text.withoutOuterWhiteSpace.wholeMatch(of: form) else { return nil }
        let (whole, fraction) = (match.2, match.3 ?? "")
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let digits = whole.drop { $0 == "0" }
        var json = match.1 == "-" ? "-" : ""
        json += digits.isEmpty ? "0" : String(digits)
        if !fraction.isEmpty { json += ".\(fraction)" }
        json += match.4.map { String($0) } ?? ""
        return Double(json)?.isFinite == true ? json : nil
    }
}
