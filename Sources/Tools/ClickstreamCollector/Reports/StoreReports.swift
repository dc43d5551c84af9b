#if Collector
/// Reports on a store's file, without a running collector: the JSON of `/api/report/count` and `/api/report/funnel`.
///
/// The file is only read, also while a collector uses it; a report is about the requests stored before its start. Cancelling the
/// task interrupts the queries. All functions are thread-safe.
package enum StoreReport {
    /// A report that cannot be made, with the reason that the endpoint replies.
    package struct Refusal: Error, Sendable, Hashable {
        package var reason: String
    }

    /// Counts events and distinct users by a field.
    /// - Parameters:
    ///   - path: the SQLite file of an existing store.
    ///   - field: `name`, `app` and the other columns, `attributes.NAME`, `user.NAME`, or a member of the event.
    ///   - limit: maximum number of values; the others are summed up. `nil` for the number of the endpoint.
    /// - Throws: ``Refusal``; ``CollectorError``; `CancellationError`.
    package static func count(
        store path: String,
        _ filter: EventFilter,
        by field: String,
        limit: Int?
    ) async throws -> [UInt8] {
        try await read(path) { store in
            try await CountQuery(filter, by: field, limit: limit).json(on: store)
        }
    }

    /// Counts the users, or sessions, that reach each step of a funnel.
    /// - Parameters:
    ///   - path: the SQLite file of an existing store.
    ///   - steps: event names, each with an optional condition: `NAME:CONDITION`.
    ///   - milliseconds: maximum time from the first step to any other; `nil` for no limit.
    ///   - field: groups the users by the value that the first event has; `nil` for no groups.
    ///   - unit: `user` or `session`.
    ///   - limit: maximum number of groups; `nil` for the number of the endpoint.
    /// - Throws: ``Refusal``; ``CollectorError``; `CancellationError`.
    package static func funnel(
        store path: String,
        _ filter: EventFilter,
        steps: [String],
        within milliseconds: Int64?,
        by field: String?,
        per unit: String,
        limit: Int?
    ) async throws -> [UInt8] {
        try await read(path) { store in
            try await FunnelQuery(filter, steps: steps, within: milliseconds, by: field, per: unit, limit: limit)
                .json(on: store)
        }
    }

    /// Gives `body` the store, and closes it.
    private static func read(_ path: String, _ body: (Store) async throws -> [UInt8]) async throws -> [UInt8] {
        let store = try Store(reading: path)
        // Nothing was written: a failure to close loses nothing.
        defer { try? store.close() }
        do {
            return try await body(store)
        } catch _ where Task.isCancelled {
            throw CancellationError()
        } catch let error as QueryAPI.RequestError {
            throw Refusal(reason: error.text)
        } catch {
            throw store.failure(of: error)
        }
    }
}
#endif
