import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges

/// A filter on a collector's events, evaluated by the collector.
struct EventQuery: Sendable, Hashable {
    /// Conditions on clickstream events, of which events of other formats meet those on name, status, code and times. Limit and
    /// cursor do not apply.
    var filter = EventFilter()
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
        conditions { "\($0)" }.map { "--\(Self.optionNames[$0.name] ?? $0.name) \($0.value)" }.joined(separator: " ")
    }

    /// Options with another name than their parameter of the query API.
    private static let optionNames = ["app": "app-id", "version": "app-version"]

    /// The conditions of the filter with the names of their parameters.
    /// - Parameter text: returns the text of a time.
    private func conditions(_ text: (Timestamp) -> String) -> [(name: String, value: String)] {
        EventFilter.parameters.compactMap { parameter -> (name: String, value: String)? in
            let value: String? =
                switch parameter.kind {
                case .text(let path): filter[keyPath: path]
                case .status: filter.status?.rawValue
                case .time(let path): filter[keyPath: path].map { text($0) }
                }
            return value.map { (name: parameter.name, value: $0) }
        }
    }

    /// True if a request, or an event, of this time of reception may match. An unknown time matches.
    func includes(_ receivedAt: Timestamp?) -> Bool {
        guard let receivedAt else { return true }
        if let since = filter.since, receivedAt < since { return false }
        if let until = filter.until, receivedAt >= until { return false }
        return true
    }

    /// True if events of the clickstream format may match.
    var readsEvents: Bool { lists(.events) }
    /// True if captured events may match.
    var readsCaptured: Bool { lists(.captured) && !selectsByClickstreamField }
    /// True if audit events may match.
    var readsAudit: Bool { lists(.audit) && !selectsByClickstreamField }
    /// True if requests may match: they have only a status and a time.
    var readsRequests: Bool { filter.name == nil && filter.code == nil && !selectsByClickstreamField }

    /// True if a condition is on a field that only events of the clickstream format have.
    private var selectsByClickstreamField: Bool {
        let fields = [
            filter.session, filter.user, filter.app, filter.device, filter.platform, filter.version, filter.screen,
        ]
        return fields.contains { $0 != nil }
    }

    private func lists(_ list: CapturedFormat.EventList) -> Bool { form == nil || form?.list == list }

    /// The parameters of `/api/events` and `/api/audit`.
    var parameters: [(name: String, value: String)] {
        let row = row.map { [(name: "table", value: $0.table), (name: "key", value: $0.key)] } ?? []
        return row + conditions { "\($0.milliseconds)" }
    }

    /// The parameters of `/api/stream`, and of `/api/captured` if captured events may match.
    var formParameters: [(name: String, value: String)] {
        parameters + (form?.captured.map { [("form", $0.rawValue)] } ?? [])
    }

    /// Text of a query, with percent-encoded values.
    static func query(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(UploadRequest.percentEncoded($0.value))" }.joined(separator: "&")
    }
}

/// A time: a date, milliseconds since 1970, or an age such as `10m`.
struct TimeOption: ExpressibleByArgument, Sendable, Hashable {
    var time: Timestamp

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace
        guard let time = Self.time(text, now: SystemDependencies.time.now().wall) else {
            RefusedValue.refuse(
                argument,
                "needs a date such as 2026-11-21T08:00:00Z, milliseconds since 1970, or an age such as 10m"
            )
            return nil
        }
        self.time = time
    }

    /// Reads a time; `nil` for any other text.
    /// - Parameter now: time from which an age is subtracted.
    static func time(_ text: String, now: Timestamp) -> Timestamp? {
        if let time = Timestamp(query: text) { return time }
        do throws(DurationText.ParseError) {
            return now + -(try DurationText.milliseconds(text))
        } catch {
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
