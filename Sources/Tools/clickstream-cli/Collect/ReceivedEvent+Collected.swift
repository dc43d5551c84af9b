#if Collector
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

extension ReceivedEvent {
    /// Converts a captured event of the collector in this process.
    init(_ event: CollectedCapture) throws(CommandFailure) {
        let received = try ReceivedEvent(event.event)
        var members = [JSONMember.text("form", event.form.rawValue), JSONMember.text("name", event.name)]
        // An excerpt of a header is JSON too; the text of a damaged one is left out.
        if event.form == .audit { members.append(.text("partition", event.partition)) }
        if let header = event.header, let value = try? JSONReader.parse(Array(header.utf8)) {
            members.append(JSONMember("header", value.kind))
        }
        self.init(JSONValue(.object(members + (received.element.members ?? []))))
    }

    /// Converts an event of the collector in this process.
    init(_ event: CollectedEvent) throws(CommandFailure) {
        let element: JSONValue
        do {
            element = try JSONReader.parse(event.element, maxDepth: JSONReader.deepestNesting)
        } catch {
            throw CommandFailure(.inputOutput, "cannot read an event that the collector stored: \(error)")
        }
        self.init(element)
    }
}
#endif
