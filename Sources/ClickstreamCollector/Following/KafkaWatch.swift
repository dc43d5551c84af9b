#if Tools
import ClickstreamCore
import Logging

/// Counts what Kafka takes, and says when it stops and when it goes on: once each, not for every attempt.
final class KafkaWatch: Sendable {
    /// The name of the one who is watched.
    let follower: String
    private let state = Locked(KafkaStatus())
    private let logger = Logger(label: "clickstream.collector.kafka")

    init(_ destination: KafkaDestination) {
        follower = "kafka \(destination.topic)"
    }

    var status: KafkaStatus { state.withLock { $0 } }

    func delivers() {
        state.withLock { $0.delivered += 1 }
    }

    func refuses(_ request: CollectedRequest, _ reason: String) {
        state.withLock { $0.refused += 1 }
        logger.error("Kafka will never take request \(request.id), which stays in the store: \(reason)")
    }

    func fails(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure == nil
        }
        if isNew { logger.warning("Kafka takes nothing; requests wait in the store: \(reason)") }
    }

    func goesOn() {
        let wasFailing = state.withLock { state in
            defer { state.failure = nil }
            return state.failure != nil
        }
        if wasFailing { logger.notice("Kafka takes requests again") }
    }

    /// Counts what Kafka does not have yet. A store that cannot be read tells nothing new.
    func look(into store: Store) async {
        do {
            let count = try await store.requestCount(after: follower)
            state.withLock { $0.behind = count }
        } catch {
            logger.warning("Cannot tell how far Kafka is behind: \(Store.reason(of: error))")
        }
    }
}
#endif
