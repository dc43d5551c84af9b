/// Key of a stored event: a batch of a format with partitions has events of one key only, such as those of one session.
package struct PartitionKey: Sendable, Hashable {
    /// 1 to 63 printable ASCII characters other than space and `@`.
    package let text: String

    /// The maximum length in bytes.
    package static let maxBytes = 63

    /// Returns `nil` if the text has another length or another character.
    package init?(_ text: some StringProtocol) {
        guard 1...Self.maxBytes ~= text.utf8.count, text.utf8.allSatisfy(Self.isValid) else { return nil }
        self.text = String(text)
    }

    /// Returns true for a byte that a key can contain.
    static func isValid(_ byte: UInt8) -> Bool {
        0x21..<0x7F ~= byte && byte != mark
    }

    /// The byte before a key in a stored record.
    static let mark = UInt8(ascii: "@")
}
