#if Collector
import ClickstreamCore
import ClickstreamJudges
import HTTPTypes

extension QueryAPI {
    /// Query parameters. An empty one counts as absent; an unknown one is an error.
    struct Query {
        static let pageNames = ["limit", "cursor"]
        /// Parameters of an ``EventFilter``.
        private static let filterNames = EventFilter.parameters.map(\.name)
        static let eventNames = filterNames + ["sort", "order"] + pageNames + ["event_bytes"]
        static let streamNames =
            filterNames + ["form", "last_event_id"] + CapturedFormat.EventList.allCases.map(newestName)
            + ["event_bytes"]
        static let auditNames =
            [
                "activity", "event", "type", "table", "key", "partition", "name", "status", "code", "since", "until",
            ] + pageNames + ["event_bytes"]
        static let countNames = filterNames + ["by", "limit"]
        static let funnelNames = filterNames + ["step", "within", "by", "per", "limit"]
        static let capturedNames = ["form", "name", "status", "code", "since", "until"] + pageNames + ["event_bytes"]

        /// Values of each parameter in their order.
        private var values: [String: [String]] = [:]

        init(_ parameters: [ReceivedUpload.Query.Parameter], names: [String]) throws(RequestError) {
            for parameter in parameters {
                guard names.contains(parameter.name) else {
                    throw RequestError(
                        status: .badRequest,
                        text: "unknown parameter \(parameter.name.prefix(50)); "
                            + (names.isEmpty ? "this path has none" : "use \(names.joined(separator: ", "))")
                    )
                }
                if !parameter.value.isEmpty { values[parameter.name, default: []].append(parameter.value) }
            }
        }

        /// Value of a parameter; of a repeated one the first.
        subscript(name: String) -> String? { values[name]?.first }

        /// All values of a parameter that may be repeated.
        func all(_ name: String) -> [String] { values[name] ?? [] }

        func limit() throws(RequestError) -> Int {
            guard let text = self["limit"] else { return 100 }
            guard let limit = Int(text), limit >= EventFilter.limits.lowerBound else {
                throw .expected("limit", "an integer from 1", not: text)
            }
            // A greater limit is reduced; the page has a cursor for the next one.
            return min(limit, EventFilter.limits.upperBound)
        }

        /// Number of bytes, at least 1.
        func bytes(_ name: String) throws(RequestError) -> Int? {
            guard let text = self[name] else { return nil }
            guard let bytes = Int(text), bytes >= 1 else { throw .expected(name, "an integer from 1", not: text) }
            return bytes
        }

        func cursor() throws(RequestError) -> Int64? {
            guard let text = self["cursor"] else { return nil }
            guard let cursor = Int64(text), cursor >= 0 else {
                throw .expected("cursor", "the next of an earlier response", not: text)
            }
            return cursor
        }

        func streamCursor(_ text: String?) throws(RequestError) -> Int64? {
            guard let text else { return nil }
            guard let cursor = Int64(text), cursor >= 0 else {
                throw .expected("Last-Event-ID", "the id of an event of this stream", not: text)
            }
            return cursor
        }

        /// Parameter for the number of the newest events of a list.
        private static func newestName(_ list: CapturedFormat.EventList) -> String { "newest_\(list.rawValue)" }

        /// Numbers of the newest events of the lists that are limited.
        func newest() throws(RequestError) -> [CapturedFormat.EventList: Int] {
            var numbers: [CapturedFormat.EventList: Int] = [:]
            for list in CapturedFormat.EventList.allCases {
                let name = Self.newestName(list)
                guard let text = self[name] else { continue }
                guard let number = Int(text), number >= 0 else { throw .expected(name, "an integer from 0", not: text) }
                numbers[list] = number
            }
            return numbers
        }

        /// Conditions and the limit, without a cursor.
        func eventFilter() throws(RequestError) -> EventFilter {
            var filter = EventFilter()
            for parameter in EventFilter.parameters {
                switch parameter.kind {
                case .text(let path): filter[keyPath: path] = self[parameter.name]
                case .status: filter.status = try status()
                case .time(let path): filter[keyPath: path] = try time(parameter.name)
                }
            }
            filter.limit = try limit()
            return filter
        }

        func capturedFilter() throws(RequestError) -> CapturedFilter {
            try CapturedFilter(
                form: choice("form", among: CapturedFormat.ofCapture),
                name: self["name"],
                status: status(),
                code: self["code"],
                since: time("since"),
                until: time("until"),
                limit: limit(),
                cursor: cursor()
            )
        }

        /// `event` is the name of an audit event, `type` also a table that it is about.
        func auditFilter() throws(RequestError) -> CapturedFilter {
            var filter = try CapturedFilter(
                form: .audit,
                name: self["event"] ?? self["name"],
                status: status(),
                code: self["code"],
                since: time("since"),
                until: time("until"),
                limit: limit(),
                cursor: cursor()
            )
            filter.audit = AuditFilter(
                activity: self["activity"],
                type: self["type"],
                table: self["table"],
                key: self["key"],
                partition: self["partition"]
            )
            return filter
        }

        /// Value of a parameter that is one of several.
        func choice<Value: RawRepresentable<String> & Equatable>(
            _ name: String,
            among values: [Value]
        ) throws(RequestError) -> Value? {
            guard let text = self[name] else { return nil }
            guard let value = Value(rawValue: text), values.contains(value) else {
                throw .expected(name, values.map(\.rawValue).joined(separator: " or "), not: text)
            }
            return value
        }

        private func status() throws(RequestError) -> CollectedStatus? { try choice("status", among: [.good, .bad]) }

        private func time(_ name: String) throws(RequestError) -> Timestamp? {
            guard let text = self[name] else { return nil }
            guard let time = Timestamp(query: text) else {
                throw .expected(
                    name,
                    "milliseconds since 1970 or an ISO 8601 date such as 2023-09-05T13:19:26Z",
                    not: text
                )
            }
            return time
        }
    }
}

extension QueryAPI.RequestError {
    /// Error for a parameter with another value than it may have.
    static func expected(_ name: String, _ what: String, not text: String) -> Self {
        Self(status: .badRequest, text: "\(name) must be \(what), not '\(text.prefix(50))'")
    }
}
#endif
