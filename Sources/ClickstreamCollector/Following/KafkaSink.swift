#if Tools && Kafka
import ClickstreamCore

/// Hands stored requests on to a Kafka topic: the published server's row as value, no key.
///
/// A batch is done when all in-sync replicas have confirmed each of its messages. Within one producer a repetition is
/// recognised by the broker; after a crash, or a producer that had to give way, the batch under way comes again.
actor KafkaSink: Follower {
    nonisolated let name: String
    private let destination: KafkaDestination
    private let status: KafkaWatch
    private var producer: KafkaProducer?

    /// Milliseconds between two attempts of what was turned down.
    private static let pauses = (shortest: Int64(250), longest: Int64(30_000))

    /// Opens the producer, which finds the brokers by itself: that they are away is no failure here.
    init(_ destination: KafkaDestination, status: KafkaWatch) throws(CollectorError) {
        self.destination = destination
        self.status = status
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
            try await SystemTime().sleep(milliseconds: pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
    }

    func close() async {
        await producer?.close()
        producer = nil
    }

    /// Sends requests and waits for what becomes of each.
    /// - Returns: what has to be sent again.
    private func attempt(_ requests: [CollectedRequest]) async throws -> [CollectedRequest] {
        var turnedDown: [CollectedRequest] = []
        for (index, failure) in try await send(requests).sorted(by: { $0.key < $1.key }) {
            if !failure.isForSize {
                status.fails(failure.text)
                turnedDown.append(requests[index])
            } else if requests.count == 1 {
                status.refuses(requests[index], failure.text)
            } else {
                // A broker refuses what came together with a message that is too large, too.
                turnedDown += try await attempt([requests[index]])
            }
        }
        if turnedDown.isEmpty { status.goesOn() }
        return turnedDown
    }

    /// - Returns: the places of those that failed.
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
        for await _ in producer.rings {
            let (reports, complaint) = producer.reports()
            if let complaint, reports.isEmpty { status.fails(complaint) }
            for report in reports {
                waiting -= 1
                if let failure = report.failure { failures[report.tag] = failure } else { status.delivers() }
            }
            if waiting == 0 { return failures }
        }
        // Cancelled: its reports would be taken for those of the next batch.
        await close()
        throw CancellationError()
    }

    private func usableProducer() async -> KafkaProducer? {
        if let producer, !producer.isBroken { return producer }
        await close()
        do {
            producer = try KafkaProducer(destination)
        } catch {
            status.fails(error.text)
        }
        return producer
    }
}
#endif
