#if Tools
/// The Kafka topic that stored requests go on to, and how to reach it. Works in a build with the trait `Kafka`.
public struct KafkaDestination: Sendable, Hashable {
    /// Some of the cluster's brokers: `host:port`, separated by commas.
    public var brokers: String
    public var topic: String
    /// Settings of librdkafka's, such as `security.protocol`. What the guarantee rests on cannot be set.
    public var settings: [String: String]

    public init(brokers: String, topic: String = "clickstream", settings: [String: String] = [:]) {
        self.brokers = brokers
        self.topic = topic
        self.settings = settings
    }

    /// Whether this program was built with the trait `Kafka`.
    public static var isAvailable: Bool {
        #if Kafka
        true
        #else
        false
        #endif
    }

    /// Each request once per producer, confirmed by all replicas, and no message ever given up for want of time.
    static let guarantee = [
        "acks": "all", "enable.idempotence": "true", "message.timeout.ms": "0",
    ]
    /// Other names of the same, and what would take the reports away.
    private static let fixed: Set<String> = [
        "request.required.acks", "delivery.timeout.ms", "delivery.report.only.error", "bootstrap.servers",
        "metadata.broker.list", "transactional.id",
    ]

    func check() throws(CollectorError) {
        if !Self.isAvailable {
            throw .invalidConfiguration(
                "--kafka needs a build with the trait Kafka: install librdkafka's headers (Debian: librdkafka-dev), then: "
                    + "swift build -c release --traits Tools,Kafka --product clickstream-cli"
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

/// How far Kafka has come behind the store.
public struct KafkaStatus: Sendable, Hashable {
    /// Requests that Kafka has confirmed since the start.
    public var delivered = 0
    /// Requests that Kafka will never take, since they are too large for it; the store has them.
    public var refused = 0
    /// Stored requests that Kafka does not have yet.
    public var behind = 0
    /// Why Kafka takes nothing at the moment; `nil` when it does.
    public var failure: String?

    public init(delivered: Int = 0, refused: Int = 0, behind: Int = 0, failure: String? = nil) {
        self.delivered = delivered
        self.refused = refused
        self.behind = behind
        self.failure = failure
    }
}
#endif
