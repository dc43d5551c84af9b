#if Collector
import ClickstreamCore
import Logging

/// Delivery status of the Kafka sink. Logs the beginning and the end of a failure, not each attempt.
final class KafkaWatch: Sendable {
    /// Name of the follower.
    let follower: String
    private let state = Locked(KafkaStatus())
    private let logger = Logger(label: "clickstream.collector.kafka")

    init(_ destination: KafkaDestination) {
        follower = "kafka \(destination.topic)"
    }

    var status: KafkaStatus { state.withLock { $0 } }

    func countDelivered() {
        state.withLock { $0.delivered += 1 }
    }

    func countRejected(_ request: CollectedRequest, _ reason: String) {
        state.withLock { $0.refused += 1 }
        logger.error("Kafka rejected request \(request.id), which stays in the store: \(reason)")
    }

    func recordFailure(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.failure = reason }
            return state.failure == nil
        }
        if isNew { logger.warning("delivery to Kafka fails; requests wait in the store: \(reason)") }
    }

    func recordSuccess() {
        let wasFailing = state.withLock { state in
            defer { state.failure = nil }
            return state.failure != nil
        }
        if wasFailing { logger.notice("delivery to Kafka resumed") }
    }

    /// Updates the number of undelivered requests. Keeps the last one if the store cannot be read.
    func update(from store: Store) async {
        do {
            let count = try await store.requestCount(after: follower)
            state.withLock { $0.behind = count }
        } catch {
            logger.warning("cannot count the requests not delivered to Kafka: \(Store.reason(of: error))")
        }
    }
}
#endif
