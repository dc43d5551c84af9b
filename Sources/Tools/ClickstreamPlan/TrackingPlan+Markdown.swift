import ClickstreamCore

extension TrackingPlan {
    /// The plan as a document for people: a table of events, then one section per event with its attributes.
    package var markdown: String {
        var text = "# Tracking plan\n\n"
        text += "| event | description | attributes |\n|---|---|---|\n"
        for event in events {
            let names = fields(of: event).map { "`\($0.name)`" }.joined(separator: ", ")
            text += "| [`\(event.name)`](#\(event.name)) | \(Self.cell(event.summary)) | \(names) |\n"
        }
        text += "\nEvents that are not listed: \(unplanned.phrase).\n"
        for event in events {
            text += "\n## \(event.name)\n\n"
            if let summary = event.summary { text += Self.cell(summary) + "\n\n" }
            text += Self.table(event.fields, "attributes")
            if let items = event.items { text += "\n### Items of \(event.name)\n\n" + Self.table(items, "attributes") }
        }
        if !user.attributes.isEmpty || !user.allowsOthers {
            text += "\n## Attributes of the user\n\n" + Self.table(user, "attributes of the user")
        }
        if !globals.attributes.isEmpty {
            text += "\n## Global attributes\n\nAllowed in every event.\n\n" + Self.table(globals, "global attributes")
        }
        return text
    }

    private static func table(_ fields: PlannedFields, _ noun: String) -> String {
        var text = ""
        if fields.attributes.isEmpty {
            text += "No planned \(noun).\n"
        } else {
            text += "| attribute | type | required | values | description |\n|---|---|---|---|---|\n"
            for attribute in fields.attributes {
                let rules = attribute.rules.phrases.joined(separator: ", ")
                text += "| `\(attribute.name)` | \(attribute.type.rawValue) | \(attribute.isRequired ? "yes" : "no") "
                text += "| \(cell(rules)) | \(cell(attribute.summary)) |\n"
            }
        }
        return fields.allowsOthers ? text : text + "\nOther attributes are findings.\n"
    }

    /// Text in a cell: without line ends, column separators and markup of HTML.
    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.replacing("|", with: "\\|").replacing("<", with: "&lt;")
    }
}

extension TrackingPlan.Unplanned {
    fileprivate var phrase: String {
        switch self {
        case .allow: "allowed"
        case .warn: "a warning"
        case .error: "an error"
        }
    }
}
