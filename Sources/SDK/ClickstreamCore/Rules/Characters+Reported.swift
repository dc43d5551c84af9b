extension Characters {
    /// Returns a name in the form used in messages and logs: cut to `longest` scalars, invisible ones replaced by
    /// U+FFFD.
    package static func reported(_ name: String, longest: Int = Rules.longestReportedName) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars.prefix(max(0, longest)) {
            result.append(isUnprintable(scalar) ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// Returns a text of any length with unprintable characters escaped as in JSON (`\u001b`), for one line on a
    /// terminal or in a log.
    ///
    /// Control characters, line and paragraph separators, and the characters that change the direction of writing.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnprintable) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnprintable(scalar) {
                for unit in String(scalar).utf16 {
                    result += "\\u" + String(zeroPadded: unit, width: 4, radix: 16)
                }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        default: false
        }
    }
}
