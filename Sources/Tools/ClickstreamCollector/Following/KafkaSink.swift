#if Kafka
import ClickstreamCore

/// Kafka sink: sends each stored request as a message with the published server's row as value, without a key.
///
/// A batch is complete when all in-sync replicas have confirmed each message. The broker drops duplicates of one
/// producer; after a crash, or when the producer is replaced, the current batch is sent again.
actor KafkaSink: Follower {
    nonisolated let name: String
    private let destination: KafkaDestination
    private let status: KafkaWatch
    private let time: any TimeSource
    private var producer: KafkaProducer?

    /// Milliseconds between two attempts to send rejected messages.
    private static let pauses = (shortest: Int64(250), longest: Int64(30_000))

    /// Opens the producer, which connects in the background: unavailable brokers are not an error here.
    init(_ destination: KafkaDestination, status: KafkaWatch, time: any TimeSource) throws(CollectorError) {
        self.destination = destination
        self.status = status
        self.time = time
        name = status.follower
        do {
            producer = try KafkaProducer(destination)
        } catch {
            throw .invalidConfiguration("invalid Kafka settings: \(error.text); check --kafka and --kafka-option")
        }
    }

    func take(_ requests: [CollectedRequest]) async throws {
        var left = requests
        var pause = Self.pauses.shortest
        while true {
            left = try await attempt(left)
            if left.isEmpty { return }
            try await time.sleep(milliseconds: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    func close() async {
        await producer?.close()
        producer = nil
    }

    /// Sends requests and waits for their reports.
    /// - Returns: requests to send again.
    private func attempt(_ requests: [CollectedRequest]) async throws -> [CollectedRequest] {
        var rejected: [CollectedRequest] = []
        for (index, failure) in try await send(requests).sorted(by: { $0.key < $1.key }) {
            if !failure.isForSize {
                status.recordFailure(failure.text)
                rejected.append(requests[index])
            } else if requests.count == 1 {
                status.countRejected(requests[index], failure.text)
            } else {
                // A broker rejects the whole batch of a message that is too large.
                rejected += try await attempt([requests[index]])
            }
        }
        if rejected.isEmpty { status.recordSuccess() }
        return rejected
    }

    /// - Returns: failures by index of the request.
    private func send(_ requests: [CollectedRequest]) async throws -> [Int: KafkaProducer.Failure] {
        var failures: [Int: KafkaProducer.Failure] = [:]
        guard let producer = await usableProducer() else {
            let failure = KafkaProducer.Failure("librdkafka cannot start another producer")
            return Dictionary(uniqueKeysWithValues: requests.indices.map { ($0, failure) })
        }
        var waiting = 0
        for (index, request) in requests.enumerated() {
            do throws(KafkaProducer.Failure) {
                try producer.send(request.storedRow, tag: index)
                waiting += 1
            } catch {
                failures[index] = error
            }
        }
        if waiting == 0 { return failures }
        for await _ in producer.signals {
            let (reports, complaint) = producer.reports()
            if let complaint, reports.isEmpty { status.recordFailure(complaint) }
            for report in reports {
                waiting -= 1
                if let failure = report.failure { failures[report.tag] = failure } else { status.countDelivered() }
            }
            if waiting == 0 { return failures }
        }
        // Cancelled: later reports would be assigned to the next batch.
        await close()
        throw CancellationError()
    }

    private func usableProducer() async -> KafkaProducer? {
        if let producer, !producer.isBroken { return producer }
        await close()
        do {
            producer = try KafkaProducer(destination)
        } catch {
            status.recordFailure(error.text)
        }
        return producer
    }
}
#endif
