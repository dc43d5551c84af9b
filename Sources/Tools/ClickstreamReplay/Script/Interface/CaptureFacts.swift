package import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

/// Facts of a script about automatic capture; keys left out keep their values.
package struct CaptureFacts: Sendable, Hashable {
    /// `nil` if the script does not define them.
    package var autoEvents: [AutoEventType]?
    /// Settings of the formats that the script configures, by their names.
    package var formats: [String: Format]

    /// Settings of a format; `nil` for a key that the script does not define, or that the format does not have.
    package struct Format: Sendable, Hashable {
        package var endpoint: String?
        package var projectID: Int?
        package var batchSize: Int?
        /// Physical pixels per logical pixel.
        package var density: Double?

        package init(
            endpoint: String? = nil,
            projectID: Int? = nil,
            batchSize: Int? = nil,
            density: Double? = nil
        ) {
            self.endpoint = endpoint
            self.projectID = projectID
            self.batchSize = batchSize
            self.density = density
        }

        fileprivate mutating func overlay(_ other: Format) {
            endpoint = other.endpoint ?? endpoint
            projectID = other.projectID ?? projectID
            batchSize = other.batchSize ?? batchSize
            density = other.density ?? density
        }
    }

    package init(autoEvents: [AutoEventType]? = nil, formats: [String: Format] = [:]) {
        self.autoEvents = autoEvents
        self.formats = formats
    }

    /// True if no key is defined.
    package var isEmpty: Bool { self == CaptureFacts() }

    mutating func overlay(_ others: CaptureFacts) {
        autoEvents = others.autoEvents ?? autoEvents
        for (name, other) in others.formats { formats[name, default: Format()].overlay(other) }
    }
}

extension ScriptReader {
    /// Adds a key of automatic capture in a mapping of configuration keys.
    mutating func addCapture(_ entry: DocumentNode.Entry, to facts: inout CaptureFacts) {
        guard let format = ScriptedFormat.all.first(where: { $0.name == entry.key }) else {
            facts.autoEvents = autoEvents(entry.value)
            return
        }
        let fields = mapping(entry.value, "'\(format.name)'", keys: format.keys)
        let most = Int64(Int32.max)
        facts.formats[format.name] = CaptureFacts.Format(
            endpoint: fields["endpoint"].flatMap { endpoint($0, "'endpoint'") },
            projectID: fields["projectId"].flatMap { integer($0, "'projectId'", in: 0...most) }.map(Int.init),
            batchSize: fields["batchSize"].flatMap { integer($0, "'batchSize'", in: 1...most) }.map(Int.init),
            density: fields["density"].flatMap { number($0, "'density'", in: 0.75...10) }
        )
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
