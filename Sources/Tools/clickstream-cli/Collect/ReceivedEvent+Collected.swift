#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

extension ReceivedEvent {
    /// Converts a captured event of the collector in this process.
    /// - Parameter withContent: false to leave out the event itself and its header, which is that of the batch.
    init(_ event: CollectedCapture, withContent: Bool = true) throws(CommandFailure) {
        let value = try withContent ? Self.content(of: event.event) : JSONValue(.null)
        let received = ReceivedEvent(event.event, value)
        var members = [JSONMember.text("form", event.form.rawValue), JSONMember.text("name", event.name)]
        // An excerpt of a header is JSON too; the text of a damaged one is left out.
        if event.form == .audit { members.append(.text("partition", event.partition)) }
        if withContent, let text = event.header,
            let header = try? JSONReader.parse(Array(text.utf8)[...], within: .conditions)
        {
            members.append(JSONMember("header", header.value.kind))
        }
        self.init(JSONValue(.object(members + (received.element.members ?? []))))
    }

    /// Converts an event of the collector in this process.
    ///
    /// Only a bounded part of it is built as a value: an event of short values would take thirty times its text.
    init(_ event: CollectedEvent) throws(CommandFailure) {
        let value = try Self.content(of: event)
        self.init(event, value)
    }

    private static func content(of event: CollectedEvent) throws(CommandFailure) -> JSONValue {
        var json = event.json
        do {
            return try json.withUTF8 { text in
                try JSONReader.parse(
                    UnsafeRawBufferPointer(text),
                    maxDepth: JSONReader.deepestNesting,
                    within: .conditions
                ).value
            }
        } catch {
            throw CommandFailure(.inputOutput, "cannot read an event that the collector stored: \(error)")
        }
    }

    private init(_ event: CollectedEvent, _ value: JSONValue) {
        self.init(
            JSONValue(
                .object([
                    JSONMember("event", value), .text("status", event.status.rawValue),
                    JSONMember("violations", .array(event.violations.map(\.element))),
                    .number("unlisted_violations", event.unlistedViolations), .text("request_id", event.requestID),
                    .number("seq", event.sequence), .time("received_at", event.receivedAt),
                ])
            )
        )
    }
}

extension CollectedViolation {
    /// The finding as an element of `violations`.
    fileprivate var element: JSONValue {
        let number = Int64(code).map { JSONValue.Kind.number(JSONNumber(integer: $0)) }
        return JSONValue(
            .object([
                JSONMember("code", number ?? .string(code)), .text("severity", severity.rawValue),
                .text("subject", subject), .text("name", name), .text("message", message),
            ])
        )
    }
}
#endif
