import ClickstreamCore
import ClickstreamJudges

/// The events of a person in the order of their times.
struct PersonTimeline: Sendable {
    /// Consecutive events of one session.
    struct Run: Sendable {
        /// `nil` for events without a session.
        let session: String?
        let device: String?
        var events: [ReceivedEvent]
    }

    /// A device, with the platform and the version of the app of its latest event.
    struct Device: Sendable, Hashable {
        let id: String?
        var platform: String?
        var version: String?
        var events = 0
    }

    let runs: [Run]
    /// In the order of their first events.
    let devices: [Device]
    private let events: [ReceivedEvent]

    /// - Parameter events: events in the order of arrival, which decides between equal times.
    init(_ events: [ReceivedEvent]) {
        let order = Self.ordered(events, by: \.time)
        var runs: [Run] = []
        var devices: [Device] = []
        // Indexes of the devices; a person may have one in each event.
        var indexes: [ExactText?: Int] = [:]
        for event in order {
            let device = event.event[FieldName.deviceID]?.plainText
            if let last = runs.last, last.session == event.session, last.device == device {
                runs[runs.count - 1].events.append(event)
            } else {
                runs.append(Run(session: event.session, device: device, events: [event]))
            }
            let index = indexes[device.map { ExactText($0) }] ?? devices.count
            if index == devices.count {
                devices.append(Device(id: device))
                indexes[device.map { ExactText($0) }] = index
            }
            devices[index].platform = event.event[FieldName.platform]?.plainText
            devices[index].version = event.event[FieldName.appVersion]?.plainText
            devices[index].events += 1
        }
        self.events = order
        self.runs = runs
        self.devices = devices
    }

    /// Values of events in the order of their times, then of their arrival.
    static func ordered<Value>(_ values: [Value], by time: KeyPath<Value, Timestamp?>) -> [Value] {
        values.enumerated().sorted { left, right in
            let first = left.element[keyPath: time]?.milliseconds ?? 0
            let second = right.element[keyPath: time]?.milliseconds ?? 0
            return (first, left.offset) < (second, right.offset)
        }.map(\.element)
    }

    /// The devices, and the events below a heading for each run.
    func lines(_ line: TailLine, _ style: Style) -> [String] {
        guard !events.isEmpty else { return [] }
        let rows = devices.map { device in
            [
                Self.shown(device.id), Self.shown(device.platform), Self.shown(device.version),
                Plural.events(device.events),
            ]
        }
        var lines = [style.heading("Devices")] + Table(rows, rightAligned: [3], width: line.width).lines
        for run in runs {
            let title = "Session \(Self.shown(run.session)), device \(Self.shown(run.device))"
            lines += ["", style.heading(Table.cut(title, to: line.width ?? .max))]
            lines += run.events.flatMap { line.lines(of: $0) }
        }
        return lines
    }

    private static func shown(_ text: String?) -> String { text.map { Console.escaped($0) } ?? "(none)" }

    /// One object with all events.
    /// - Parameter id: the id by which the person was selected.
    func json(of id: String) -> String {
        let devices = devices.map { device in
            JSONValue(
                .object([
                    .text("device_id", device.id), .text("platform", device.platform),
                    .text("app_version", device.version), .number("events", device.events),
                ])
            )
        }
        let runs = runs.map { run in
            JSONValue(
                .object([
                    .text("session", run.session), .text("device_id", run.device),
                    .number("events", run.events.count),
                ])
            )
        }
        let head = JSONValue(
            .object([.text("user", id), JSONMember("devices", .array(devices)), JSONMember("runs", .array(runs))])
        )
        // The events keep their strings and numbers as they were received.
        return "\(head.description.dropLast()),\"events\":[\(events.map(\.json).joined(separator: ","))]}"
    }

    /// One event per line.
    var jsonLines: [String] { events.map(\.json) }
}
