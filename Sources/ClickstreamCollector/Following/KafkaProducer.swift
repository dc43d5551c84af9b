#if Tools && Kafka
import CRdKafka
import ClickstreamCore
import Dispatch

/// librdkafka's producer for one topic: takes messages without waiting, and reports later what became of each.
///
/// To be used from one place at a time. It rings when there are reports; no thread waits for them.
final class KafkaProducer {
    /// What Kafka says of one message.
    struct Report: Sendable, Hashable {
        /// What the message was given with.
        var tag: Int
        /// `nil` when all replicas have it.
        var failure: Failure?
    }

    struct Failure: Error, Sendable, Hashable {
        var text: String
        /// Whether the message is too large: no repetition helps.
        var isForSize = false

        init(_ code: rd_kafka_resp_err_t) {
            text = String(cString: rd_kafka_err2str(code))
            isForSize = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_RECORD
        }

        init(_ text: String) {
            self.text = text
        }
    }

    /// Rung from librdkafka's threads.
    private final class Bell: Sendable {
        let button: AsyncStream<Void>.Continuation

        init(_ button: AsyncStream<Void>.Continuation) {
            self.button = button
        }
    }

    /// Something comes whenever there may be reports; several may ring as one.
    let rings: AsyncStream<Void>
    private let client: OpaquePointer
    private let topic: OpaquePointer
    private let queue: OpaquePointer
    private let bell: Unmanaged<Bell>

    init(_ destination: KafkaDestination) throws(Failure) {
        guard let settings = rd_kafka_conf_new() else { throw Failure("there is no memory") }
        let all = [
            "bootstrap.servers": destination.brokers,
            "client.id": "clickstream-collector",
            // A request is as large as its body may be, with every quotation mark escaped, and not cut by us.
            "message.max.bytes": "16777216",
            "linger.ms": "5",
            "log_level": "0",
        ]
        .merging(destination.settings) { $1 }.merging(KafkaDestination.guarantee) { $1 }
        var text = [CChar](repeating: 0, count: 512)
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            guard rd_kafka_conf_set(settings, name, value, &text, text.count) == RD_KAFKA_CONF_OK else {
                rd_kafka_conf_destroy(settings)
                throw Failure("\(name)=\(value): \(Self.string(text))")
            }
        }
        rd_kafka_conf_set_events(settings, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR)
        rd_kafka_conf_set_log_cb(settings, nil)
        guard let client = rd_kafka_new(RD_KAFKA_PRODUCER, settings, &text, text.count) else {
            rd_kafka_conf_destroy(settings)
            throw Failure(Self.string(text))
        }
        guard let topic = rd_kafka_topic_new(client, destination.topic, nil) else {
            let failure = Failure(rd_kafka_last_error())
            rd_kafka_destroy(client)
            throw failure
        }
        guard let queue = rd_kafka_queue_get_main(client) else {
            rd_kafka_topic_destroy(topic)
            rd_kafka_destroy(client)
            throw Failure("there is no queue")
        }
        let (rings, button) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.rings = rings
        self.client = client
        self.topic = topic
        self.queue = queue
        bell = Unmanaged.passRetained(Bell(button))
        rd_kafka_queue_cb_event_enable(
            queue,
            { _, bell in
                if let bell { Unmanaged<Bell>.fromOpaque(bell).takeUnretainedValue().button.yield() }
            },
            bell.toOpaque()
        )
        // It rings when the queue was empty before: what came until now would have silenced it for good.
        button.yield()
    }

    /// Gives a message away, copied. A report with the tag comes later, unless it fails here.
    func send(_ message: [UInt8], tag: Int) throws(Failure) {
        let status = message.withUnsafeBytes { bytes in
            rd_kafka_produce(
                topic,
                // Any partition.
                -1,
                RD_KAFKA_MSG_F_COPY,
                UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                bytes.count,
                nil,
                0,
                UnsafeMutableRawPointer(bitPattern: tag)
            )
        }
        if status != 0 { throw Failure(rd_kafka_last_error()) }
    }

    /// What has been reported since the last call, and what else the client complains of, such as a broker that is away.
    func reports() -> (reports: [Report], complaint: String?) {
        var reports: [Report] = []
        var complaint: String?
        while let event = rd_kafka_queue_poll(queue, 0) {
            defer { rd_kafka_event_destroy(event) }
            switch rd_kafka_event_type(event) {
            case RD_KAFKA_EVENT_DR:
                while let message = rd_kafka_event_message_next(event)?.pointee {
                    let isStored = message.err == RD_KAFKA_RESP_ERR_NO_ERROR
                    reports.append(
                        Report(tag: Int(bitPattern: message._private), failure: isStored ? nil : Failure(message.err))
                    )
                }
            case RD_KAFKA_EVENT_ERROR:
                complaint = rd_kafka_event_error_string(event).map { String(cString: $0) }
            default:
                break
            }
        }
        return (reports, complaint)
    }

    /// Whether it can never send again and has to give way to another.
    var isBroken: Bool {
        rd_kafka_fatal_error(client, nil, 0) != RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Lets go of everything, sent or not. Nothing may be called afterwards.
    nonisolated(nonsending) func close() async {
        rd_kafka_queue_cb_event_enable(queue, nil, nil)
        // After this no thread of the client's knows the bell.
        bell.release()
        rd_kafka_queue_destroy(queue)
        rd_kafka_topic_destroy(topic)
        let address = UInt(bitPattern: client)
        await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
            // It waits for the client's threads, which is not what the tasks' threads are for.
            DispatchQueue.global().async {
                let client = OpaquePointer(bitPattern: address)
                rd_kafka_purge(
                    client,
                    RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING
                )
                rd_kafka_destroy(client)
                closed.resume()
            }
        }
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
#endif
