#if Tools
import ClickstreamCollector
import ClickstreamCore

/// What a run of `generate` came to, as it is printed.
struct GenerateReport: Sendable {
    /// `nil`: a collector in this process.
    let endpoint: String?
    let seed: UInt64
    let tally: GenerateTally.Counts
    let wire: WireTransport.Counts
    let milliseconds: Int64
    /// What the collector in this process stored.
    let summary: CollectorSummary?

    var undelivered: Int { max(0, tally.recorded - tally.delivered) }

    private var perSecond: Int { tally.recorded * 1_000 / Int(max(1, milliseconds)) }

    var human: String {
        var lines = [
            "\(tally.recorded) events (\(tally.invalid) break a rule) in \(ReplayReport.duration(milliseconds)), "
                + "\(perSecond) a second",
            "\(tally.delivered) delivered in \(wire.requests) requests (\(wire.repeatedRequests) of them repeated, "
                + "\(wire.failedRequests) failed), \(wire.bytes) bytes for \(tally.rawBytes) of JSON",
        ]
        if undelivered > 0 { lines.append("\(undelivered) not delivered") }
        if let summary {
            lines.append(
                "stored: \(summary.events) events (\(summary.goodEvents) good, \(summary.badEvents) bad), "
                    + "\(summary.duplicates) duplicates, \(summary.sessions) sessions, \(summary.users) users"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object; `stored` is `null` where the events went to a server elsewhere.
    var json: String {
        let stored: JSONValue.Kind =
            summary.map {
                .object([
                    .number("requests", $0.requests), .number("events", $0.events),
                    .number("good_events", $0.goodEvents),
                    .number("bad_events", $0.badEvents), .number("duplicates", $0.duplicates),
                    .number("sessions", $0.sessions), .number("users", $0.users),
                ])
            } ?? .null
        return JSONValue(
            .object([
                .text("endpoint", endpoint),
                JSONMember(
                    "seed",
                    .number(JSONNumber(text: "\(seed)", integer: Int64(exactly: seed), double: Double(seed)))
                ),
                .number("events", tally.recorded), .number("invalid", tally.invalid),
                .number("delivered", tally.delivered), .number("undelivered", undelivered),
                .number("requests", wire.requests), .number("repeated_requests", wire.repeatedRequests),
                .number("failed_requests", wire.failedRequests), .number("bytes", wire.bytes),
                .number("raw_bytes", tally.rawBytes), .number("milliseconds", milliseconds),
                .number("events_per_second", perSecond), JSONMember("stored", stored),
            ])
        ).description
    }
}

/// How far a run has come, with rate and time left, on standard error for a person who waits.
///
/// Nothing is shown anywhere but on a terminal.
final class GenerateProgress: Sendable {
    private let task: Task<Void, Never>

    /// - Returns: `nil` when nobody watches.
    init?(_ tally: GenerateTally, events: Int?, longest: Int64?) {
        guard Console.showsProgress else { return nil }
        let start = SystemTime().now().steady
        task = Task {
            while !Task.isCancelled {
                // It ends by being cancelled.
                try? await SystemTime().sleep(milliseconds: 500)
                let now = SystemTime().now().steady - start
                guard !Task.isCancelled, now >= 1_000 else { continue }
                Console.showProgress(Self.line(tally.counts.recorded, of: events, after: now, of: longest))
            }
        }
    }

    /// Takes the line away.
    func end() {
        task.cancel()
        Console.showProgress("")
    }

    static func line(_ recorded: Int, of events: Int?, after milliseconds: Int64, of longest: Int64?) -> String {
        let rate = Double(recorded) * 1_000 / Double(max(1, milliseconds))
        var left: [Double] = []
        if let events, rate > 0 { left.append(Double(events - recorded) / rate) }
        if let longest { left.append(Double(longest - milliseconds) / 1_000) }
        let rest = left.min().map { ", \(Int(max(0, min($0, 1e9)).rounded(.up))) s left" } ?? ""
        return "\(recorded) events, \(Int(rate)) a second\(rest)"
    }
}
#endif
