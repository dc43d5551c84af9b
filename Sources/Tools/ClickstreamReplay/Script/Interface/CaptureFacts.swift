package import ClickstreamCapture
package import ClickstreamCore
import ClickstreamDocuments

/// Facts of a script about automatic capture; keys left out keep their values.
package struct CaptureFacts: Sendable, Hashable {
    /// `nil` if the script does not define them.
    package var autoEvents: [AutoEventType]?
    /// Values of the formats that the script configures, by format, then by the name of the key. Those of keys that the
    /// format does not have are ignored.
    package var formats: [FormatName: [String: AttributeValue]]

    package init(autoEvents: [AutoEventType]? = nil, formats: [FormatName: [String: AttributeValue]] = [:]) {
        self.autoEvents = autoEvents
        self.formats = formats
    }

    /// True if no key is defined.
    package var isEmpty: Bool { self == CaptureFacts() }

    mutating func overlay(_ others: CaptureFacts) {
        autoEvents = others.autoEvents ?? autoEvents
        formats.merge(others.formats) { values, others in values.merging(others) { $1 } }
    }
}

extension ScriptReader {
    /// Adds a key of automatic capture in a mapping of configuration keys.
    mutating func addCapture(_ entry: DocumentNode.Entry, to facts: inout CaptureFacts) {
        if let format = CaptureConfiguration.formats.first(where: { $0.formatName.rawValue == entry.key }) {
            facts.formats[format.formatName] = values(of: format, entry.value)
        } else {
            facts.autoEvents = autoEvents(entry.value)
        }
    }

    /// The mapping of the keys of a format.
    private mutating func values<Settings: FormatSettings>(
        of format: Settings.Type,
        _ node: DocumentNode
    ) -> [String: AttributeValue] {
        let fields = mapping(node, "'\(format.formatName.rawValue)'", keys: format.scriptKeys)
        var values: [String: AttributeValue] = [:]
        for key in format.keys { values[key.name] = fields[key.name].flatMap { value($0, of: key) } }
        return values
    }

    private mutating func value<Settings>(_ node: DocumentNode, of key: FormatKey<Settings>) -> AttributeValue? {
        let what = "'\(key.name)'"
        switch key.form {
        case .endpoint: return endpoint(node, what).map { .string($0) }
        case .text: return text(node, what).map { .string($0) }
        case .count(_, let minimum): return integer(node, what, in: minimum...Int64(Int32.max)).map { .integer($0) }
        case .number(_, let range): return number(node, what, in: range).map { .double($0) }
        }
    }

    /// Names of auto-event types. `revenueTracking` is accepted and enables nothing: `revenue` steps need no type.
    mutating func autoEvents(_ node: DocumentNode) -> [AutoEventType] {
        guard case .list(let nodes) = node.content else {
            reportType(node, "'autoEvents'", expected: "a list of auto-event types")
            return []
        }
        var types: [AutoEventType] = []
        for node in nodes {
            guard let name = text(node, "an auto-event type") else { continue }
            if let type = AutoEventType.all.first(where: { $0.name == name }) {
                types.append(type)
            } else if name != Vocabulary.revenueType {
                let question = Suggestion.question(about: name, among: Vocabulary.autoEventTypes)
                let hint = question ?? "valid types: \(String.list(Vocabulary.autoEventTypes, "or"))"
                report(node.position, "unknown auto-event type '\(name)'", hint)
            }
        }
        return types
    }

    /// Text of an endpoint; empty for none.
    mutating func endpoint(_ node: DocumentNode, _ what: String) -> String? {
        guard let text = text(node, what) else { return nil }
        guard !text.isEmpty else { return text }
        do {
            _ = try Endpoint(text)
        } catch {
            report(node.position, "\(what): \(error)", nil)
            return nil
        }
        return text
    }
}

extension FormatSettings {
    /// Names of the keys in scripts, in the order of the documentation.
    static var scriptKeys: [String] { keys.filter { $0.sources.contains(.script) }.map(\.name) }

    /// The settings of a script with some values of keys, by their names.
    static func scripted(_ values: [String: AttributeValue], timeZone: String) -> Self {
        var settings = scriptDefaults(timeZone: timeZone)
        for key in keys {
            if let value = values[key.name] { key.set(value, in: &settings) }
        }
        return settings
    }
}
