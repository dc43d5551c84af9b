extension StringProtocol {
    /// Returns the text without characters of a kind at its start and end.
    package func trimmed(_ isRemoved: (Unicode.Scalar) -> Bool) -> String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !isRemoved($0) }),
            let last = scalars.lastIndex(where: { !isRemoved($0) })
        else { return "" }
        return String(String.UnicodeScalarView(scalars[first...last]))
    }

    /// The text without white space and line breaks at its start and end.
    package var withoutOuterWhiteSpace: String { trimmed { $0.properties.isWhitespace } }
}

extension Unicode.Scalar {
    /// True for a tab and the separators of category Zs.
    package var isBlank: Bool { self == "\t" || properties.generalCategory == .spaceSeparator }

    /// True for the separators of lines.
    package var isLineBreak: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// True for categories Cc and Cf.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .format: true
        default: false
        }
    }
}
