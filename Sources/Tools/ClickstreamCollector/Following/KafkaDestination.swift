#if Collector
/// Kafka topic that receives stored requests, and its brokers. Needs a build with the trait `Kafka`. `/metrics` contains the status of
/// the delivery.
package struct KafkaDestination: Sendable, Hashable {
    /// Some of the cluster's brokers: `host:port`, separated by commas.
    package var brokers: String
    /// Name of the topic.
    package var topic: String
    /// Settings of librdkafka, such as `security.protocol`. Settings that the delivery guarantee depends on are
    /// rejected.
    package var settings: [String: String]

    /// Creates a destination. Nothing is connected; invalid settings are reported by ``Collector/start(_:)``.
    package init(brokers: String, topic: String = "clickstream", settings: [String: String] = [:]) {
        self.brokers = brokers
        self.topic = topic
        self.settings = settings
    }

    /// True if this program was built with the trait `Kafka`.
    package static var isAvailable: Bool {
        #if Kafka
        true
        #else
        false
        #endif
    }

    /// Delivery guarantee: each message once per producer, confirmed by all in-sync replicas, without a timeout.
    static let guarantee = [
        "acks": "all", "enable.idempotence": "true", "message.timeout.ms": "0",
    ]
    /// Aliases of these settings, and settings that would disable delivery reports.
    private static let fixed: Set<String> = [
        "request.required.acks", "delivery.timeout.ms", "delivery.report.only.error", "bootstrap.servers",
        "metadata.broker.list", "transactional.id",
    ]

    func check() throws(CollectorError) {
        if !Self.isAvailable {
            throw .invalidConfiguration(
                "--kafka needs a build with the trait Kafka: install librdkafka's headers (Debian: librdkafka-dev), then: "
                    + "swift build -c release --traits Kafka --product clickstream-cli"
            )
        }
        if brokers.isEmpty || topic.isEmpty {
            throw .invalidConfiguration("--kafka needs the address of a broker, such as localhost:9092, and a topic")
        }
        if let name = settings.keys.sorted().first(where: { Self.guarantee[$0] != nil || Self.fixed.contains($0) }) {
            throw .invalidConfiguration("--kafka-option \(name) is set by the collector; leave it out")
        }
    }
}

/// Status of the delivery to Kafka.
package struct KafkaStatus: Sendable, Hashable {
    /// Number of requests confirmed by Kafka since the start.
    package var delivered = 0
    /// Number of requests that are too large for Kafka; they stay in the store.
    package var refused = 0
    /// Number of stored requests not delivered yet.
    package var behind = 0
    /// Reason of the current delivery failure; `nil` if there is none.
    package var failure: String?
}
#endif
