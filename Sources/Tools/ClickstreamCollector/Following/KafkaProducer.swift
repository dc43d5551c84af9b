#if Kafka
import CRdKafka
import ClickstreamCore
import Dispatch

/// Producer of librdkafka for one topic: enqueues messages without blocking, and reports their delivery later.
///
/// Not thread-safe. A stream signals new reports; no thread blocks for them.
final class KafkaProducer {
    /// Delivery report of one message.
    struct Report: Sendable, Hashable {
        /// Tag passed to ``send(_:tag:)``.
        var tag: Int
        /// `nil` if all in-sync replicas confirmed the message.
        var failure: Failure?
    }

    struct Failure: Error, Sendable, Hashable {
        var text: String
        /// True if the message is too large, so that retrying is useless.
        var isForSize = false

        init(_ code: rd_kafka_resp_err_t) {
            text = String(cString: rd_kafka_err2str(code))
            isForSize = code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE || code == RD_KAFKA_RESP_ERR_INVALID_RECORD
        }

        init(_ text: String) {
            self.text = text
        }
    }

    /// Signal for new reports, sent from threads of librdkafka.
    private final class Signal: Sendable {
        let continuation: AsyncStream<Void>.Continuation

        init(_ continuation: AsyncStream<Void>.Continuation) {
            self.continuation = continuation
        }
    }

    /// Elements signal that there may be new reports; one element may represent several.
    let signals: AsyncStream<Void>
    private let client: OpaquePointer
    private let topic: OpaquePointer
    private let queue: OpaquePointer
    private let signal: Unmanaged<Signal>

    init(_ destination: KafkaDestination) throws(Failure) {
        guard let settings = rd_kafka_conf_new() else { throw Failure("there is no memory") }
        let all = [
            "bootstrap.servers": destination.brokers,
            "client.id": "clickstream-collector",
            // Larger than any request, even if each of its quotation marks is escaped.
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
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        self.client = client
        self.topic = topic
        self.queue = queue
        signal = Unmanaged.passRetained(Signal(continuation))
        rd_kafka_queue_cb_event_enable(
            queue,
            { _, signal in
                if let signal { Unmanaged<Signal>.fromOpaque(signal).takeUnretainedValue().continuation.yield() }
            },
            signal.toOpaque()
        )
        // librdkafka signals only the first event in an empty queue; one may have arrived before the callback was set.
        continuation.yield()
    }

    /// Enqueues a copy of the message. A report with the tag follows unless this throws.
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

    /// Removes and returns the new reports, and the last other error, such as an unavailable broker.
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

    /// True after a fatal error: the producer has to be replaced.
    var isBroken: Bool {
        rd_kafka_fatal_error(client, nil, 0) != RD_KAFKA_RESP_ERR_NO_ERROR
    }

    /// Frees all resources and drops pending messages. No member may be used afterwards.
    nonisolated(nonsending) func close() async {
        rd_kafka_queue_cb_event_enable(queue, nil, nil)
        // No thread of the client uses the signal any more.
        signal.release()
        rd_kafka_queue_destroy(queue)
        rd_kafka_topic_destroy(topic)
        let address = UInt(bitPattern: client)
        await withCheckedContinuation { (closed: CheckedContinuation<Void, Never>) in
            // Blocks until the client's threads have ended, so not on the thread of a task.
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
