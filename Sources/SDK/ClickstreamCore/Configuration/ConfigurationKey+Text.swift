extension ConfigurationKey {
    /// The value without white space at the ends of a text, such as the line feed of a mounted file; unchanged for a
    /// key with ``isFreeText``.
    func trimmed(_ value: Value) -> Value {
        guard case .text(let text) = value, !isFreeText else { return value }
        return .text(text.withoutOuterWhiteSpace)
    }

    /// The reason why the key does not accept a text, as the rest of the sentence after the key; `nil` if it does.
    ///
    /// Contains the text with its control characters escaped, unless it may be a secret.
    func textRefusal(_ value: Value) -> String? {
        switch (form, value) {
        case (.text, .text(let text)), (.optionalText, .text(let text)):
            let shown = isSecret ? "" : ": '\(Characters.escaped(text))'"
            if isFreeText, text.utf8.count != text.withoutOuterWhiteSpace.utf8.count {
                return "must not begin or end with white space\(shown)"
            }
            if !isOneLine(text) { return "must not contain line breaks or other control characters\(shown)" }
            return name == "uniqueId" ? ClickstreamClient.Configuration.lengthRefusal(ofUniqueID: text) : nil
        default:
            return nil
        }
    }

    private func isOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            // A header may contain tabs.
            if name == "authCookie", scalar == "\t" { return true }
            return !scalar.isLineBreak && scalar.properties.generalCategory != .control
        }
    }
}
