#if Kafka
import CRdKafka
import Foundation

/// librdkafka's own cluster of three brokers, in memory and on loopback, with one topic.
///
/// Sendable unchecked: the addresses never change, and librdkafka locks for itself.
final class MockKafka: @unchecked Sendable {
    struct Failure: Error {
        var text: String
    }

    static let topic = "clickstream"

    private let client: OpaquePointer
    private let cluster: OpaquePointer
    private let partitions: Int32

    init(partitions: Int32 = 1) throws {
        client = try Self.client(RD_KAFKA_PRODUCER, ["client.id": "mock"])
        guard let cluster = rd_kafka_mock_cluster_new(client, 3) else { throw Failure(text: "no cluster") }
        self.cluster = cluster
        self.partitions = partitions
        let code = rd_kafka_mock_topic_create(cluster, Self.topic, partitions, 3)
        if code != RD_KAFKA_RESP_ERR_NO_ERROR { throw Failure(text: String(cString: rd_kafka_err2str(code))) }
    }

    deinit {
        rd_kafka_mock_cluster_destroy(cluster)
        rd_kafka_destroy(client)
    }

    var brokers: String { String(cString: rd_kafka_mock_cluster_bootstraps(cluster)) }

    /// Ends all connections of all brokers and takes no new ones.
    func goAway() { rd_kafka_mock_broker_set_down(cluster, -1) }

    func comeBack() { rd_kafka_mock_broker_set_up(cluster, -1) }

    /// The next requests to store messages fail, one with each of these.
    func failNext(_ codes: [rd_kafka_resp_err_t]) {
        rd_kafka_mock_push_request_errors_array(cluster, 0, codes.count, codes)
    }

    /// Everything that the topic holds: the messages of each partition in their order.
    func messages() async throws -> [[UInt8]] {
        try await RawConnection.blocking { [self] in try read() }
    }

    private func read() throws -> [[UInt8]] {
        let consumer = try Self.client(
            RD_KAFKA_CONSUMER,
            [
                "bootstrap.servers": brokers, "group.id": UUID().uuidString, "enable.partition.eof": "true",
                "fetch.wait.max.ms": "10",
            ]
        )
        defer {
            rd_kafka_consumer_close(consumer)
            rd_kafka_destroy(consumer)
        }
        let list = rd_kafka_topic_partition_list_new(partitions)
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for partition in 0..<partitions {
            // From the beginning.
            rd_kafka_topic_partition_list_add(list, Self.topic, partition).pointee.offset = -2
        }
        rd_kafka_poll_set_consumer(consumer)
        rd_kafka_assign(consumer, list)

        var messages: [Int32: [[UInt8]]] = [:]
        var unread = Set(0..<partitions)
        let deadline = ContinuousClock.now + .seconds(60)
        while !unread.isEmpty {
            if ContinuousClock.now > deadline { throw Failure(text: "the topic has no end") }
            guard let message = rd_kafka_consumer_poll(consumer, 100) else { continue }
            defer { rd_kafka_message_destroy(message) }
            switch message.pointee.err {
            case RD_KAFKA_RESP_ERR_NO_ERROR:
                let value = UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.len)
                messages[message.pointee.partition, default: []].append(Array(value))
            case RD_KAFKA_RESP_ERR__PARTITION_EOF:
                unread.remove(message.pointee.partition)
            default:
                // A broker that comes back is found again by itself.
                continue
            }
        }
        return messages.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    private static func client(_ kind: rd_kafka_type_t, _ settings: [String: String]) throws -> OpaquePointer {
        let conf = rd_kafka_conf_new()
        for (name, value) in settings { rd_kafka_conf_set(conf, name, value, nil, 0) }
        rd_kafka_conf_set_log_cb(conf, nil)
        guard let client = rd_kafka_new(kind, conf, nil, 0) else { throw Failure(text: "no client") }
        return client
    }
}
#endif
