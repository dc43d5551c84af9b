#if Collector
import ClickstreamCore
import ClickstreamDocuments

/// Error in the JSON description of faults.
struct FaultParseError: Error {
    var text: String
}

extension CollectorFault {
    private static let members = [
        "kind", "status", "rate", "times", "latency", "latency_ms", "retry_after", "reset", "truncate",
    ]

    /// Parses one fault, an array of faults, or `{"faults": […]}`. An empty object or array contains no fault.
    ///
    /// A fault is `{"status": 503, "retry_after": 5}`, `{"latency": 200}`, `{"reset": "before"}`, `{"truncate": true}`
    /// or `{"kind": "slow"}`, each with `rate` and `times`. A latency beside another effect makes a second fault.
    static func read(_ json: [UInt8]) throws -> [CollectorFault] {
        if json.isEmpty { return [] }
        let value: JSONValue
        do {
            value = try JSONReader.parse(json)
        } catch {
            throw FaultParseError(text: "The body is not valid JSON: \(error).")
        }
        if let list = value.array { return try list.flatMap { try fault($0) } }
        if let found = value.members, found.count == 1, found[0].name == "faults" {
            guard let list = found[0].value.array else {
                throw FaultParseError(text: "faults must be an array.")
            }
            return try list.flatMap { try fault($0) }
        }
        return try fault(value)
    }

    private static func fault(_ value: JSONValue) throws -> [CollectorFault] {
        guard let found = value.members else {
            throw FaultParseError(text: "A fault must be an object such as {\"status\": 503, \"rate\": 0.3}.")
        }
        if let unknown = found.first(where: { !members.contains($0.name) }) {
            throw FaultParseError(
                text: "Unknown member \(unknown.name.prefix(50)) of a fault; use \(members.joined(separator: ", "))."
            )
        }
        var faults: [CollectorFault] = []
        if let latency = try latency(value) { faults.append(CollectorFault(.latency(latency))) }
        if let effect = try effect(value) { faults.append(CollectorFault(effect)) }
        if faults.isEmpty, !found.isEmpty {
            throw FaultParseError(
                text: "The fault has no effect: add status, latency, reset, truncate or kind."
            )
        }
        let rate = try rate(value)
        let times = try times(value)
        return faults.map { CollectorFault($0.effect, rate: rate, times: times) }
    }

    private static func effect(_ value: JSONValue) throws -> Effect? {
        var effects: [Effect] = []
        if let status = value["status"] {
            guard let number = status.wholeNumber, statuses.contains(Int(clamping: number)) else {
                throw FaultParseError(text: "status must be an integer from 200 to 599.")
            }
            effects.append(.status(Int(number), retryAfter: try retryAfter(value)))
        } else if value["retry_after"] != nil {
            throw FaultParseError(text: "retry_after needs a status, such as 503 or 429.")
        }
        if let reset = value["reset"] {
            let position = reset.string ?? (reset.boolean == true ? "before" : "")
            guard let effect = named("reset-\(position)") else {
                throw FaultParseError(
                    text: "reset must be before, during or after (the request's body), or true for before."
                )
            }
            effects.append(effect)
        }
        if let truncate = value["truncate"] {
            guard let isWanted = truncate.boolean else {
                throw FaultParseError(text: "truncate must be true or false.")
            }
            if isWanted { effects.append(.truncatedReply) }
        }
        if let kind = value["kind"] {
            guard let effect = kind.string.flatMap({ named($0) }) else {
                throw FaultParseError(text: "kind must be one of \(names.map(\.name).joined(separator: ", ")).")
            }
            effects.append(effect)
        }
        if effects.count > 1 {
            throw FaultParseError(text: "A fault has one effect beside its latency; use an array for several.")
        }
        return effects.first
    }

    /// The latency from a number of milliseconds or from a text such as `200ms` or `1.5s`.
    private static func latency(_ value: JSONValue) throws -> Duration? {
        guard let given = value["latency"] ?? value["latency_ms"] else { return nil }
        // The message below shows the expected form; the reason of the parse error adds nothing.
        let milliseconds = given.wholeNumber ?? given.string.flatMap { try? DurationText.milliseconds($0) }
        guard let milliseconds, (0...3_600_000).contains(milliseconds) else {
            throw FaultParseError(text: "latency must be milliseconds or a string such as 200ms, at most one hour.")
        }
        return .milliseconds(milliseconds)
    }

    /// Seconds, or a date, as a number or as the header's text.
    private static func retryAfter(_ value: JSONValue) throws -> String? {
        guard let given = value["retry_after"], !given.isNull else { return nil }
        if let seconds = given.wholeNumber, seconds >= 0 { return String(seconds) }
        guard let text = given.string, isRetryAfter(text) else {
            throw FaultParseError(
                text: "retry_after must be seconds, or an HTTP date such as Sun, 06 Nov 1994 08:49:37 GMT."
            )
        }
        return text
    }

    private static func rate(_ value: JSONValue) throws -> Double {
        guard let given = value["rate"] else { return 1 }
        guard let rate = given.double, (0...1).contains(rate) else {
            throw FaultParseError(text: "rate must be a number from 0 (no request) to 1 (all of them).")
        }
        return rate
    }

    private static func times(_ value: JSONValue) throws -> Int? {
        guard let given = value["times"], !given.isNull else { return nil }
        guard let times = given.wholeNumber, (1...Int64(Int32.max)).contains(times) else {
            throw FaultParseError(text: "times must be an integer from 1.")
        }
        return Int(times)
    }
}

extension FaultInjector.Active {
    /// Appends the fault in the form of the input, and the number of requests affected so far.
    func append(to list: inout ObjectWriter) {
        list.object { object in
            switch fault.effect {
            case .status(let status, let retryAfter):
                object.member("status", status)
                object.member("retry_after", retryAfter)
            case .latency(let latency):
                object.member("latency", latency.wholeMilliseconds)
            default:
                object.member("kind", fault.name ?? "")
            }
            object.member("rate", fault.rate)
            if let times = fault.times { object.member("times", times) }
            object.member("struck", struck)
        }
    }
}

extension JSONValue {
    /// Integer value, also of a number such as `1.0`, as in JSON Schema.
    fileprivate var wholeNumber: Int64? { integer ?? double.flatMap { Int64(exactly: $0) } }
}
#endif
