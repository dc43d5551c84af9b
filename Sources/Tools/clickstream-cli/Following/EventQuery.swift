import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges

/// A filter on a collector's events, evaluated by the collector.
struct EventQuery: Sendable, Hashable {
    var name: String?
    var session: String?
    /// A user id or a unique id.
    var user: String?
    /// The event's `app_id`.
    var app: String?
    /// The event's `device_id`.
    var device: String?
    var platform: String?
    /// The event's `app_version`.
    var version: String?
    /// The name of the screen.
    var screen: String?
    var status: CollectedStatus?
    /// The code of one of the event's violations.
    var code: String?
    /// Earliest time of reception.
    var since: Timestamp?
    /// Time before which the event was received.
    var until: Timestamp?
    /// Format of the events; `nil` for all.
    var form: CapturedFormat?
    /// Row that audit events are about; a condition of queries of audit events only.
    var row: Row?

    /// Row of a database.
    struct Row: Sendable, Hashable {
        var table: String
        /// Value of the key column as text.
        var key: String
    }

    /// True if the query has no condition but the form.
    var isOpen: Bool { self == EventQuery(form: form) }

    /// The conditions but form and row as options, such as `--session s-1 --since 2026-11-21T08:00:00.000Z`.
    var options: String {
        let texts = texts.compactMap { text in text.value.map { "--\(text.option) \($0)" } }
        let times = times.compactMap { time in time.value.map { "--\(time.name) \($0)" } }
        return (texts + times).joined(separator: " ")
    }

    /// The conditions on texts, each with its option and its parameter of the query API.
    private var texts: [(option: String, parameter: String, value: String?)] {
        [
            ("name", "name", name), ("session", "session", session), ("user", "user", user), ("app-id", "app", app),
            ("device", "device", device), ("platform", "platform", platform), ("app-version", "version", version),
            ("screen", "screen", screen), ("status", "status", status?.rawValue), ("code", "code", code),
        ]
    }

    /// The conditions on the time of reception.
    private var times: [(name: String, value: Timestamp?)] { [("since", since), ("until", until)] }

    /// True if a request, or an event, of this time of reception may match. An unknown time matches.
    func includes(_ receivedAt: Timestamp?) -> Bool {
        guard let receivedAt else { return true }
        if let since, receivedAt < since { return false }
        if let until, receivedAt >= until { return false }
        return true
    }

    /// True if events of the clickstream format may match.
    var readsEvents: Bool { lists(.events) }
    /// True if captured events may match.
    var readsCaptured: Bool { lists(.captured) && !selectsByClickstreamField }
    /// True if audit events may match.
    var readsAudit: Bool { lists(.audit) && !selectsByClickstreamField }
    /// True if requests may match: they have only a status and a time.
    var readsRequests: Bool { name == nil && code == nil && !selectsByClickstreamField }

    /// True if a condition is on a field that only events of the clickstream format have.
    private var selectsByClickstreamField: Bool {
        [session, user, app, device, platform, version, screen].contains { $0 != nil }
    }

    private func lists(_ list: CapturedFormat.EventList) -> Bool { form == nil || form?.list == list }

    /// The parameters of `/api/events` and `/api/audit`.
    var parameters: [(name: String, value: String)] {
        let texts = texts.compactMap { text in text.value.map { (name: text.parameter, value: $0) } }
        let times = times.compactMap { time in time.value.map { (name: time.name, value: "\($0.milliseconds)") } }
        let row = row.map { [(name: "table", value: $0.table), (name: "key", value: $0.key)] } ?? []
        return row + texts + times
    }

    /// The parameters of `/api/stream`, and of `/api/captured` if captured events may match.
    var formParameters: [(name: String, value: String)] {
        parameters + (form?.captured.map { [("form", $0.rawValue)] } ?? [])
    }

    /// Percent-encodes all bytes but letters, digits, `-`, `.`, `_` and `~`.
    static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(escaped($0.value))" }.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += "%" + String(zeroPadded: byte, width: 2, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

/// A time: a date, milliseconds since 1970, or an age such as `10m`.
struct TimeOption: ExpressibleByArgument, Sendable, Hashable {
    var time: Timestamp

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace
        if let time = Timestamp(query: text) {
            self.time = time
            return
        }
        do {
            time = SystemDependencies.time.now().wall + -(try DurationText.milliseconds(text))
        } catch {
            RefusedValue.refuse(
                argument,
                "needs a date such as 2026-11-21T08:00:00Z, milliseconds since 1970, or an age such as 10m"
            )
            return nil
        }
    }
}

/// `good` or `bad` on the command line.
enum StatusOption: String, ExpressibleByArgument, CaseIterable, Sendable {
    case good
    case bad

    var status: CollectedStatus { self == .good ? .good : .bad }
}
