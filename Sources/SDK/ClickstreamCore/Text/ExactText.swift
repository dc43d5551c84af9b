/// Text compared by its scalars, for the keys of dictionaries and sets.
///
/// `String` compares by canonical equivalence: "K" and "\u{212A}", or "\u{E9}" and "e\u{301}", would be the same key.
package struct ExactText: Sendable, Hashable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.init(text)
    }

    package static func == (one: ExactText, other: ExactText) -> Bool { Characters.areSame(one.text, other.text) }

    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactText: Comparable {
    package static func < (one: ExactText, other: ExactText) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}
