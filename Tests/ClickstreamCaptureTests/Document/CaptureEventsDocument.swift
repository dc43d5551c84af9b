import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges
import ClickstreamSimulation
import FormatFixtures

/// Content of Docs/capture-events.md, from events of the real encoders.
struct CaptureEventsDocument {
    /// Values by path.
    typealias Fields = [CapturedFormat: [String: String]]

    /// Rows and the fields of one event or header.
    struct Section {
        var title: String
        var text: String
        var rows: [EventTable.Row]
        var fields: Fields
        /// True if the rows list every field.
        var isComplete: Bool
    }

    /// Fields of every event, header of a batch, then the events.
    private(set) var sections: [Section] = []

    init() async throws {
        var shared: Fields = [:]
        for table in EventTable.all {
            let events = try await Self.events(of: table)
            shared.merge(events) { $1 }
            let fields = Dictionary(
                uniqueKeysWithValues: events.map { format, fields in
                    (format, Self.own(fields, format, name: table.names[format] ?? ""))
                }
            )
            let text = "Trigger: \(table.trigger)."
            sections.append(Section(title: table.title, text: text, rows: table.rows, fields: fields, isComplete: true))
        }
        let header = Section(
            title: "Header of a batch",
            text: Self.headerText,
            rows: SharedTables.header,
            fields: [.clickstream: shared[.clickstream] ?? [:], Self.batched: try await Self.header()],
            isComplete: false
        )
        let event = Section(
            title: "Fields of every event",
            text: Self.sharedText,
            rows: SharedTables.event,
            fields: shared,
            isComplete: false
        )
        let element = Section(
            title: "Page and data of an element",
            text: Self.elementText,
            rows: SharedTables.element,
            fields: sections.first { $0.title == "Click" }?.fields ?? [:],
            isComplete: false
        )
        sections = [event, element, header] + sections
    }

    // MARK: Fields

    /// All fields of an event in each format that has it.
    private static func events(of table: EventTable) async throws -> Fields {
        let device = try CaptureDevice()
        // The event of the start precedes everything else.
        let isStart = table.name == "_app_start"
        if !isStart { await device.showPages() }
        let count = isStart ? 0 : device.recorder.notices.count
        try await table.perform(device)
        var fields: Fields = [:]
        for (format, event) in device.events(since: count) where fields[format] == nil {
            let fixture = FormatFixture.all.first { $0.format == format }
            let name = fixture.map { $0.name(of: event) } ?? event["event_type"]?.string
            guard let name, name == table.names[format] else { continue }
            fields[format] = [:]
            append(event, at: "", to: &fields[format, default: [:]])
        }
        return fields
    }

    /// Fields of one event that are not part of every event. Those of the clickstream format are attributes and items.
    private static func own(_ fields: [String: String], _ format: CapturedFormat, name: String) -> [String: String] {
        var own: [String: String] = [:]
        for (path, value) in fields {
            var path = path
            if format == .clickstream {
                if path.hasPrefix("attributes.") {
                    path.removeFirst("attributes.".count)
                } else if !path.hasPrefix("items") {
                    continue
                }
            }
            if !SharedTables.contains(path, in: format, of: name) { own[path] = value }
        }
        return own
    }

    private static func append(_ value: JSONValue, at path: String, to fields: inout [String: String]) {
        let prefix = path.isEmpty ? "" : path + "."
        switch value.kind {
        case .object(let members):
            for member in members { append(member.value, at: prefix + member.name, to: &fields) }
        case .array(let elements):
            // The first element is an example of all.
            if let first = elements.first { append(first, at: path + "[]", to: &fields) }
        default:
            fields[path] = value.string ?? value.description
        }
    }

    private static func header() async throws -> [String: String] {
        let device = try CaptureDevice()
        await device.showPages()
        _ = await device.client.flush()
        var fields: [String: String] = [:]
        for request in device.recorder.server.requests where request.url.hasSuffix(batched.path) {
            for member in try JSONReader.parse(request.body).members ?? [] where member.name != batched.batch?.events {
                append(member.value, at: member.name, to: &fields)
            }
        }
        return fields
    }

    // MARK: Text

    /// The whole page.
    var markdown: String {
        var lines = [Self.introduction, ""]
        lines += Self.heading(["event", "enabled by", "clickstream"] + FormatFixture.all.map(\.column.heading))
        lines += EventTable.all.map { table in
            let types = table.types.map { "`\($0.name)`" }.joined(separator: ", ")
            return "| \(table.title) | \(types) | \(Self.cells(table.names)) |"
        }
        for section in sections {
            lines += ["", "## \(section.title)", "", section.text, ""]
            lines += Self.heading(["field"] + CapturedFormat.recorded.map(\.rawValue) + ["example"])
            let rows = section.isComplete ? section.rows.filter { !SharedTables.isOfElement($0) } : section.rows
            lines += rows.map { row in
                "| \(row.meaning) | \(Self.cells(row.paths)) | \(Self.example(row, section.fields)) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(_ columns: [String]) -> [String] {
        ["| \(columns.joined(separator: " | ")) |", "|" + String(repeating: "---|", count: columns.count)]
    }

    private static func cells(_ paths: [CapturedFormat: String]) -> String {
        CapturedFormat.recorded.map { format in paths[format].map { "`\($0)`" } ?? "" }.joined(separator: " | ")
    }

    private static func example(_ row: EventTable.Row, _ fields: Fields) -> String {
        var values: [String] = []
        for format in CapturedFormat.recorded {
            guard let value = row.paths[format].flatMap({ fields[format]?[$0] }), !values.contains(value) else {
                continue
            }
            values.append(value)
        }
        return values.map { "`\($0)`" }.joined(separator: ", ")
    }

    private static let introduction = """
        # Events of automatic capture

        Reference of every captured event: its trigger, and its fields in each wire format. A test writes this page from events
        of the real encoders, and compares it: `CLICKSTREAM_WRITE_DOCS=1 swift test --filter CaptureEventsDocumentTests`.
        [capture.md](capture.md) is the map of the two documents that define the events; [privacy.md](privacy.md) lists what
        is never captured.

        A cell without a path: the format does not have the field. Fields without a value are omitted from an event. Fields of the
        clickstream format are `attributes` of the event unless the path is that of `items`.
        """

    private static let sharedText = """
        The paths of the clickstream format are those of the whole event. Its other fields are the same in all events of an app:
        device, system and user.
        """

    private static let elementText = """
        Events of pages have the fields of the app's data, events of elements also those of the page. Touches have them in the
        clickstream format only. The following tables omit them.
        """

    private static let batched = FormatFixture.batched.format

    private static let headerText = """
        A batch in the \(batched.title) format has a header, composed at the time of sending, and the events as the array \
        `\(batched.batch?.events ?? "")`. In the
        other formats the body of a request is an array of events.
        """
}
