import ClickstreamCore

extension TrackingPlan {
    /// The plan as YAML, in the form that the reader accepts.
    /// - Parameters:
    ///   - notes: comments before events and blocks, by their names.
    ///   - occurrences: further comments before events, by their names.
    package func yaml(notes: [String: [String]] = [:], occurrences: [String: String] = [:]) -> String {
        var text = "clickstream-plan: \(TrackingPlan.version)\n"
        text += events.isEmpty ? "events: {}\n" : "events:\n"
        for event in events {
            let comments = [occurrences[event.name]].compactMap { $0 } + (notes[event.name] ?? [])
            for comment in comments { text += "  # \(comment)\n" }
            text += "  \(Self.key(event.name)):\n"
            if let summary = event.summary { text += "    description: \(Self.scalar(summary))\n" }
            text += Self.block(event.fields, indentation: "    ")
            if let items = event.items {
                text += "    items:\n"
                text += Self.block(items, indentation: "      ")
                if !items.allowsOthers { text += "      additional: false\n" }
            }
            if !event.fields.allowsOthers { text += "    additional: false\n" }
        }
        for (name, fields) in [("user", user), ("globals", globals)] {
            guard !fields.attributes.isEmpty || !fields.allowsOthers else { continue }
            for note in notes[name] ?? [] { text += "# \(note)\n" }
            text += "\(name):\n"
            text += Self.block(fields, indentation: "  ")
            if !fields.allowsOthers { text += "  additional: false\n" }
        }
        return text + "unplanned: \(unplanned.rawValue)\n"
    }

    private static func block(_ fields: PlannedFields, indentation: String) -> String {
        guard !fields.attributes.isEmpty else { return "\(indentation)attributes: {}\n" }
        var text = "\(indentation)attributes:\n"
        for attribute in fields.attributes {
            text += "\(indentation)  \(key(attribute.name)): { \(attribute.entries.joined(separator: ", ")) }\n"
        }
        return text
    }

    /// A name that every YAML reader takes for a string.
    private static func key(_ name: String) -> String {
        let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
        return words.contains(name.lowercased()) ? "\"\(name)\"" : name
    }

    /// A string in quotation marks: JSON strings are YAML.
    fileprivate static func scalar(_ text: String) -> String { JSONValue(.string(text)).description }
}

extension PlannedAttribute {
    /// The keys of the attribute in flow style.
    fileprivate var entries: [String] {
        var entries = ["type: \(type.rawValue)"]
        if isRequired { entries.append("required: true") }
        entries += rules.all.map { "\(Swift.type(of: $0).key): \($0.yaml)" }
        if let summary { entries.append("description: \(TrackingPlan.scalar(summary))") }
        return entries
    }
}
