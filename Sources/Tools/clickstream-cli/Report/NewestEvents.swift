/// The newest stored events of a report, in the order of arrival.
struct NewestEvents<Value> {
    var values: [Value]
    /// Number of all matching events.
    var total: Int

    /// Message about the events that are omitted; `nil` if there are none.
    /// - Parameters:
    ///   - limit: maximum number of values.
    ///   - noun: one of the events, and several.
    ///   - remedy: text for events that take too much memory.
    func omission(_ limit: Int, _ noun: (one: String, many: String) = ("event", "events"), remedy: String) -> String? {
        guard total > values.count else { return nil }
        let shown = "the newest \(values.count) of \(Plural.count(total, noun.one, noun.many))"
        if values.count >= limit { return "\(shown); use --limit \(total) for all" }
        return "\(shown): more take over \(CollectorReader.maxHeldBytes / 1_048_576) MiB of memory; \(remedy)"
    }
}

extension CollectorReader {
    /// The results of `convert` for the newest stored events of the query, and the number of all events.
    /// - Parameter convert: called for every event; only its last values are in memory, up to ``maxHeldBytes``. Returns the bytes of
    ///   the value, about.
    func newest<Value>(
        _ limit: Int,
        _ convert: (ReceivedEvent) -> (value: Value, bytes: Int)
    ) async throws -> NewestEvents<Value> {
        var newest = NewestValues<Value>(limit: limit)
        var total = 0
        try await stored { event in
            total += 1
            let (value, bytes) = convert(event)
            newest.append(value, bytes: bytes)
        }
        return NewestEvents(values: newest.values, total: total)
    }
}
