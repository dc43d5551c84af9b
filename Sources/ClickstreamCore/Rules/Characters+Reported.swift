extension Characters {
    /// Returns a name in the form used in messages and logs: cut to `longest` scalars, invisible ones replaced by
    /// U+FFFD.
    package static func reported(_ name: String, longest: Int = Rules.longestReportedName) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars.prefix(max(0, longest)) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result.append("\u{FFFD}")
            default:
                result.append(scalar)
            }
        }
        return String(result)
    }
}
