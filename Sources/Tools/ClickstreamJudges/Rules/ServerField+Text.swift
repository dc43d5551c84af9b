import ClickstreamCore

/// The table of fields as text, for the documents and the command line.
extension ServerField {
    /// Fields of one object that are read in one way, in the table's order.
    struct Group {
        let container: Container
        let phrase: String
        let codes: [String]
        var names: [String]
    }

    static let groups: [Group] = {
        var groups: [Group] = []
        for field in all {
            let phrase = field.phrase
            if let index = groups.firstIndex(where: { $0.container == field.container && $0.phrase == phrase }) {
                groups[index].names.append(field.name)
            } else {
                groups.append(
                    Group(container: field.container, phrase: phrase, codes: field.codes, names: [field.name])
                )
            }
        }
        return groups
    }()

    /// The type in words.
    private var phrase: String {
        let limit = columnBytes.map { "at most \($0) bytes: " } ?? ""
        return (isTime ? "milliseconds since 1970: " : limit) + reading.phrase
    }

    /// The section of Docs/error-codes.md.
    static var markdown: String {
        var text = """

            ## Fields that the server reads as a certain type

            Any other field may be any JSON value, arrays and objects included: the server keeps it as it is. `null` is \
            no value and accepted unless the type excludes it. Of an entry of `user`, the `value` is checked.

            | in | type | otherwise | fields |
            |---|---|---|---|

            """
        for group in groups {
            let names = group.names.map { "`\($0)`" }.joined(separator: ", ")
            let codes = group.codes.map { "`\($0)`" }.joined(separator: ", ")
            text += "| \(group.container.phrase) | \(group.phrase) | \(codes) | \(names) |\n"
        }
        return text
    }

    /// Lines for a terminal.
    static func human(width: Int? = nil) -> String {
        let width = min(100, width ?? 100)
        var text = ""
        for group in groups {
            let title =
                "\(group.container.phrase): \(group.phrase) (\(group.codes.joined(separator: ", ")))"
            text += title.rows(of: width).joined(separator: "\n    ") + "\n"
            text += wrapped(group.names, indent: "  ", width: width)
        }
        return text
    }

    /// The fields of a code in lines for a terminal; empty for a code without fields.
    static func fields(of code: String) -> String {
        var text = ""
        for group in groups where group.codes.contains(code) {
            text += "\n\(group.container.phrase): \(group.phrase)\n" + wrapped(group.names, indent: "  ")
        }
        return text
    }

    /// Names in lines of at most `width` characters.
    private static func wrapped(_ names: [String], indent: String, width: Int = 100) -> String {
        var text = ""
        var line = ""
        for name in names {
            if line.count + name.count + 1 > width {
                text += line + "\n"
                line = ""
            }
            line += (line.isEmpty ? indent : " ") + name
        }
        return text + line + "\n"
    }
}

extension ServerField.Container {
    /// The object in words.
    fileprivate var phrase: String {
        switch self {
        case .event: "the event"
        case .attribute: FieldName.attributes
        case .item: "an item"
        case .userAttribute: FieldName.user
        }
    }
}
