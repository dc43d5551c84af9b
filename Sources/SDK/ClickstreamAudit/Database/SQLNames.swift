import ClickstreamCore

extension ExactText {
    /// The name of a table or column, which SQLite compares byte by byte, without the case of ASCII letters.
    static func sqlName(_ text: String) -> ExactText {
        ExactText(String(decoding: text.utf8.map(\.lowerCase), as: UTF8.self))
    }
}

extension String {
    /// The text as a quoted identifier of SQL.
    var sqlQuoted: String { quoted("\"") }

    /// The text between quotation marks, each of its own doubled, also one before a combining character.
    func quoted(_ mark: Unicode.Scalar) -> String {
        var quoted = String.UnicodeScalarView()
        quoted.append(mark)
        for scalar in unicodeScalars {
            quoted.append(scalar)
            if scalar == mark { quoted.append(mark) }
        }
        quoted.append(mark)
        return String(quoted)
    }

    /// Comparison of ASCII letters without case, as SQLite compares names.
    func caseInsensitivelyEquals(_ other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.lowerCase == $1.lowerCase }
    }
}

extension UInt8 {
    /// The lower-case letter for an upper-case one; other bytes unchanged.
    var lowerCase: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
