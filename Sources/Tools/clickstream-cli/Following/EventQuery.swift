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
    var status: CollectedStatus?
    /// The code of one of the event's violations.
    var code: String?
    /// Earliest time of reception.
    var since: Timestamp?
    /// Format of the events; `nil` for all.
    var form: CapturedFormat?

    /// True if the query has no condition but the form.
    var isOpen: Bool { self == EventQuery(form: form) }

    /// The conditions but the form as options, such as `--session s-1 --since 2026-11-21T08:00:00.000Z`.
    var options: String {
        [
            ("name", name), ("session", session), ("user", user), ("status", status?.rawValue), ("code", code),
            ("since", since?.description),
        ].compactMap { name, value in value.map { "--\(name) \($0)" } }.joined(separator: " ")
    }

    /// True if events of the clickstream format may match.
    var readsEvents: Bool { lists(.events) }
    /// True if captured events may match, which have no session and no user.
    var readsCaptured: Bool { lists(.captured) && session == nil && user == nil }
    /// True if audit events may match, which have neither.
    var readsAudit: Bool { lists(.audit) && session == nil && user == nil }

    private func lists(_ list: CapturedFormat.EventList) -> Bool { form == nil || form?.list == list }

    /// The parameters of `/api/events`.
    var parameters: [(name: String, value: String)] {
        [
            ("name", name), ("session", session), ("user", user), ("status", status?.rawValue), ("code", code),
            ("since", since.map { "\($0.milliseconds)" }),
        ].compactMap { name, value in value.map { (name, $0) } }
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

/// A start time: a date, milliseconds since 1970, or an age such as `10m`.
struct SinceOption: ExpressibleByArgument, Sendable, Hashable {
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
