import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// Outcome of a run of `generate`, for output.
struct GenerateReport: Sendable {
    /// `nil`: a collector in this process.
    let endpoint: String?
    let seed: UInt64
    let tally: GenerateTally.Counts
    let wire: WireTransport.Counts
    let milliseconds: Int64
    /// Summary of the collector in this process.
    let summary: CollectSummary?

    var undelivered: Int { max(0, tally.stored - tally.delivered) }

    private var captured: [(format: FormatName, count: Int)] {
        tally.captured.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    private var perSecond: Int { tally.recorded * 1_000 / Int(max(1, milliseconds)) }

    var human: String {
        let duration = ReadableDuration(milliseconds: milliseconds)
        var lines = [
            "\(Plural.events(tally.recorded)) (\(tally.invalid) invalid) in \(duration), "
                + "\(perSecond)/s",
            "\(tally.delivered) delivered in \(Plural.count(wire.requests, "request")) (\(wire.repeatedRequests) repeated, "
                + "\(wire.failedRequests) failed), \(wire.bytes) bytes for \(tally.rawBytes) bytes of JSON",
        ]
        if !captured.isEmpty {
            lines.append("captured: " + captured.map { "\($0.count) \($0.format)" }.joined(separator: ", "))
        }
        if undelivered > 0 { lines.append("\(undelivered) not delivered") }
        if let stored = summary?.clickstream {
            lines.append(
                "stored: \(Plural.events(stored.events)) (\(stored.goodEvents) good, \(stored.badEvents) bad), "
                    + "\(Plural.count(stored.duplicates, "duplicate")), \(Plural.count(stored.sessions, "session")), "
                    + Plural.count(stored.users, "user")
            )
        }
        lines += summary?.lines.dropFirst() ?? []
        return lines.joined(separator: "\n")
    }

    /// One JSON object; `stored` is `null` if the events were sent to another server.
    var json: String {
        let stored: JSONValue.Kind =
            (summary?.clickstream).map {
                .object([
                    .number("requests", $0.requests), .number("events", $0.events),
                    .number("good_events", $0.goodEvents),
                    .number("bad_events", $0.badEvents), .number("duplicates", $0.duplicates),
                    .number("sessions", $0.sessions), .number("users", $0.users),
                ])
            } ?? .null
        return JSONValue(
            .object(
                [
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
                ] + capturedMembers
            )
        ).description
    }
}

extension GenerateReport {
    /// The numbers of captured events, and those that the collector in this process stored; none without captured events.
    private var capturedMembers: [JSONMember] {
        if captured.isEmpty { return [] }
        let stored = (summary?.captured ?? []).map { form, counts in
            JSONMember(
                form.rawValue,
                .object([
                    .number("requests", counts.requests), .number("events", counts.events),
                    .number("good_events", counts.events - counts.badEvents), .number("bad_events", counts.badEvents),
                    .number("duplicates", counts.duplicates),
                ])
            )
        }
        return [
            JSONMember("captured", .object(captured.map { .number($0.format.rawValue, $0.count) })),
            JSONMember("captured_stored", summary == nil ? .null : .object(stored)),
        ]
    }
}

/// Progress of a run with rate and time left, on standard error.
///
/// Shown on a terminal only.
final class GenerateProgress: Sendable {
    private let task: Task<Void, Never>

    /// - Returns: `nil` if progress is not shown.
    init?(_ tally: GenerateTally, events: Int?, longest: Int64?) {
        guard Console.showsProgress else { return nil }
        let start = SystemDependencies.time.now().steady
        task = Task {
            while !Task.isCancelled {
                // Ends when it is cancelled.
                try? await SystemDependencies.time.sleep(milliseconds: 500)
                let now = SystemDependencies.time.now().steady - start
                guard !Task.isCancelled, now >= 1_000 else { continue }
                Console.showProgress(Self.line(tally.counts.recorded, of: events, after: now, of: longest))
            }
        }
    }

    /// Removes the progress line.
    func end() {
        task.cancel()
        Console.showProgress("")
    }

    static func line(_ recorded: Int, of events: Int?, after milliseconds: Int64, of longest: Int64?) -> String {
        let share = events.map { Double(recorded) / Double(max(1, $0)) }
        let estimates = [
            share.flatMap { ProgressLine.secondsLeft(share: $0, after: milliseconds) },
            longest.map { Double($0 - milliseconds) / 1_000 },
        ]
        let left = estimates.compactMap(\.self).min().flatMap { ProgressLine.timeLeft($0) }
        let rate = ProgressLine.rate(recorded, "event", after: milliseconds)
        return [Plural.events(recorded), rate, left].compactMap(\.self).joined(separator: ", ")
    }
}
