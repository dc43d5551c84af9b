import ClickstreamCore

/// Event in a few words: what happened, and on what.
///
/// Values are not trusted: they are cut, and characters that control a terminal or the direction of writing are escaped.
package struct Phrase: Sendable, Hashable {
    /// The words, one space apart; at most ``maxLength`` scalars.
    package let text: String

    /// The maximum number of scalars of a phrase, and of a value in it.
    package static let maxLength = 80
    static let maxValueLength = 40

    /// Joins words that are escaped already; `nil` if all of them are absent.
    /// - Parameter ending: words that are kept if the others are cut.
    init?(_ words: String?..., ending: String? = nil) {
        self.init(words: words, ending: ending)
    }

    init?(words: [String?], ending: String? = nil) {
        let present = words.compactMap { $0 }
        if present.isEmpty { return nil }
        let end = ending.map { " \($0)" } ?? ""
        let start = Self.cut(present.joined(separator: " "), to: Self.maxLength - Characters.count(end))
        text = start + end
    }

    /// Returns the beginning of a text, with an ellipsis if it is cut.
    static func cut(_ text: String, to length: Int) -> String {
        guard Characters.areMore(in: text, than: length) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(length - 1))) + "…"
    }

    /// Returns a text of an event as a word.
    static func word(_ text: String, to length: Int = maxValueLength) -> String {
        cut(Characters.escaped(cut(text, to: length)), to: length)
    }
}

extension JSONValue {
    /// Text of a string, number or Boolean.
    var scalarText: String? { string ?? number?.text ?? boolean.map { "\($0)" } }

    /// The value as a word; `nil` for an empty text, null and nested values.
    var word: String? { scalarText.flatMap { $0.isEmpty ? nil : Phrase.word($0) } }

    /// The value in quotation marks; `nil` for an empty text, null and nested values.
    var quotedWord: String? {
        guard let text = scalarText, !text.isEmpty else { return nil }
        return Characters.escaped(JSONValue(.string(Phrase.cut(text, to: Phrase.maxValueLength))).description)
    }
}
