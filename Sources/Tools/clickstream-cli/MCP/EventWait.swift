import ClickstreamCore

/// Wait for the next event that meets conditions. Reads the store again and again, which is the same for a running collector and for
/// a file; a round in which nothing has arrived reads only the counts.
struct EventWait: Sendable {
    /// Time between two rounds in milliseconds.
    private static let interval: Int64 = 250
    /// Time between two reports of progress in milliseconds.
    private static let reportInterval: Int64 = 1_000

    /// Conditions as parameters of `/api/events`, and `event_bytes`.
    let parameters: [(name: String, value: String)]
    /// True if an event that is stored already may match.
    let includesStored: Bool
    /// Maximum time in milliseconds.
    let timeout: Int64

    /// Waits for an event. A collector that is lost meanwhile may return before the timeout.
    /// - Returns: `{"received": true, "event": …, "waited_ms": …}`, or the same without an event after the timeout.
    func run(in context: MCPContext) async throws -> [UInt8] {
        let start = context.time.now().steady
        var reported = start
        var position = includesStored ? 0 : try await lastSequence(in: context, since: start)
        // A collector that is missing at the start is reported at once.
        var hasBegun = !includesStored
        while true {
            var failure: CommandFailure?
            do {
                let event = try await event(after: &position, in: context, since: start)
                if let event { return try result(event, start, context) }
                hasBegun = true
            } catch let lost as CommandFailure where lost.status == .serverUnavailable && hasBegun {
                failure = lost
            }
            let now = context.time.now().steady
            guard now - start < timeout else {
                if let failure { throw failure }
                return try result(nil, start, context)
            }
            if now - reported >= Self.reportInterval {
                reported = now
                let message = failure == nil ? "waiting for an event" : "waiting for the collector"
                let seconds = Double((now - start) / 1_000)
                context.report(MCPProgress(seconds: seconds, total: Double(timeout / 1_000), message: message))
            }
            try await context.time.sleep(milliseconds: min(Self.interval, timeout - (now - start)))
        }
    }

    /// The first event after a position that meets the conditions. Moves the position to the last event that was compared.
    private func event(
        after position: inout Int64,
        in context: MCPContext,
        since start: Int64
    ) async throws -> JSONValue? {
        let last = try await lastSequence(in: context, since: start)
        // The collector was replaced by one whose store has been empty.
        if last < position { position = 0 }
        guard last > position else { return nil }
        let cursor = position > 0 ? [(name: "cursor", value: "\(position)")] : []
        let all = parameters + [(name: "limit", value: "1")] + cursor
        let body = try await context.read("/api/events", all, silence: silence(in: context, since: start))
        let event = try MCPList(body, "events").first()
        position = last
        return event
    }

    /// Number of the last event that was stored, of any format.
    private func lastSequence(in context: MCPContext, since start: Int64) async throws -> Int64 {
        let body = try await context.read("/api/summary", [], silence: silence(in: context, since: start))
        let summary = try MCPResult.value(body[...])
        guard let last = summary["last_seq"]?.integer else { throw MCPFailure.unexpectedResponse }
        return last
    }

    /// Time to wait for a collector that sends nothing: the rest of the timeout, or at its end the time of a round.
    private func silence(in context: MCPContext, since start: Int64) -> Int64 {
        max(Self.interval, timeout - (context.time.now().steady - start))
    }

    private func result(_ event: JSONValue?, _ start: Int64, _ context: MCPContext) throws(MCPFailure) -> [UInt8] {
        var writer = ObjectWriter()
        writer.object { result in
            if let event { result.member("event", json: MCPResult.readable(event)) } else { result.null("event") }
            result.member("received", event != nil)
            result.member("waited_ms", context.time.now().steady - start)
        }
        guard writer.bytes.count <= context.maxBytes else {
            let sequence = event?["seq"]?.number?.text ?? "?"
            throw MCPFailure(
                .tooLarge,
                "event \(sequence) was received; it has more than \(context.maxBytes) bytes with its findings; use a smaller "
                    + "event_bytes"
            )
        }
        return writer.bytes
    }
}
