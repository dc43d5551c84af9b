package import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments

/// Facts of a script about automatic capture; keys left out keep their values.
package struct CaptureFacts: Sendable, Hashable {
    /// `nil` if the script does not define them.
    package var autoEvents: [AutoEventType]?
    package var pulse: Pulse?
    package var contentsquare: Contentsquare?

    /// The format `pulse`.
    package struct Pulse: Sendable, Hashable {
        package var endpoint: String?

        package init(endpoint: String? = nil) {
            self.endpoint = endpoint
        }
    }

    /// The format `contentsquare`.
    package struct Contentsquare: Sendable, Hashable {
        /// The project of a script without one.
        package static let defaultProjectID = 1

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
    }

    package init(autoEvents: [AutoEventType]? = nil, pulse: Pulse? = nil, contentsquare: Contentsquare? = nil) {
        self.autoEvents = autoEvents
        self.pulse = pulse
        self.contentsquare = contentsquare
    }

    /// True if no key is defined.
    package var isEmpty: Bool { self == CaptureFacts() }

    mutating func overlay(_ others: CaptureFacts) {
        autoEvents = others.autoEvents ?? autoEvents
        if let others = others.pulse {
            pulse = Pulse(endpoint: others.endpoint ?? pulse?.endpoint)
        }
        if let others = others.contentsquare {
            contentsquare = Contentsquare(
                endpoint: others.endpoint ?? contentsquare?.endpoint,
                projectID: others.projectID ?? contentsquare?.projectID,
                batchSize: others.batchSize ?? contentsquare?.batchSize,
                density: others.density ?? contentsquare?.density
            )
        }
    }
}

extension ScriptReader {
    /// Adds a key of automatic capture in a mapping of configuration keys.
    mutating func addCapture(_ entry: DocumentNode.Entry, to facts: inout CaptureFacts) {
        switch entry.key {
        case "autoEvents":
            facts.autoEvents = autoEvents(entry.value)
        case "pulse":
            let fields = mapping(entry.value, "'pulse'", keys: Vocabulary.pulseKeys)
            facts.pulse = CaptureFacts.Pulse(endpoint: fields["endpoint"].flatMap { endpoint($0, "'endpoint'") })
        default:
            let fields = mapping(entry.value, "'contentsquare'", keys: Vocabulary.contentsquareKeys)
            let most = Int64(Int32.max)
            facts.contentsquare = CaptureFacts.Contentsquare(
                endpoint: fields["endpoint"].flatMap { endpoint($0, "'endpoint'") },
                projectID: fields["projectId"].flatMap { integer($0, "'projectId'", in: 0...most) }.map(Int.init),
                batchSize: fields["batchSize"].flatMap { integer($0, "'batchSize'", in: 1...most) }.map(Int.init),
                density: fields["density"].flatMap { number($0, "'density'", in: 0.75...10) }
            )
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
                let hint = question ?? "valid types: \(DocumentText.list(Vocabulary.autoEventTypes))"
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
