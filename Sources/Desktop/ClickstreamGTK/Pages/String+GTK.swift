extension String {
    /// True for a name such as `0x55af3f2da4f0`, which the toolkit gives to the pages of an assistant: another one in
    /// every process.
    var isAddress: Bool {
        hasPrefix("0x") && count > 2 && dropFirst(2).allSatisfy { $0.isHexDigit }
    }

    /// The text without the underscores that mark mnemonics; a doubled one is an underscore.
    var withoutMnemonics: String {
        var text = ""
        var isMark = false
        for character in self {
            guard character == "_", !isMark else {
                text.append(character)
                isMark = false
                continue
            }
            isMark = true
        }
        return text
    }
}
