import CClickstreamGettext

/// Reverse lookup of the translated texts that functions of gettext returned in this process.
///
/// Only texts that differ from their message id are in the table. Callable from any thread; costs a lock and a hash.
enum TranslatedTexts {
    /// Returns the message id of a displayed text, without mnemonics and message context; `nil` if the text is not a
    /// translation. Of several ids with the same translation, the latest counts.
    static func key(of text: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CLICKSTREAM_GETTEXT_LONGEST) + 1) { buffer in
            guard let key = buffer.baseAddress else { return nil }
            return clickstream_gettext_key(text, key, buffer.count) > 0 ? String(cString: key) : nil
        }
    }
}
