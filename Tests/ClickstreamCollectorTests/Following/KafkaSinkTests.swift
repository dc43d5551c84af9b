#if Kafka
import CRdKafka
import ClickstreamCore
import Foundation
import Testing

@testable import ClickstreamCollector

/// Each test has a cluster of librdkafka's own to itself.
@Suite("Kafka sink", .timeLimit(.minutes(10)))
struct KafkaSinkTests {
    /// The fields of a row that the published server stores.
    private static let fields: Set<String> = [
        "appId", "client_timestamp", "compression", "data", "date", "fakeIp", "ingest_time", "ip", "method", "path",
        "platform", "rid", "server_ingest_time", "source_type", "timestamp", "ua", "uri",
    ]

    private func rows(_ messages: [[UInt8]]) throws -> [NSDictionary] {
        try messages.map { try #require(JSONSerialization.jsonObject(with: Data($0)) as? NSDictionary) }
    }

    private func identifiers(_ kafka: MockKafka) async throws -> [String] {
        try await rows(kafka.messages()).map { try #require($0["rid"] as? String) }
    }

    /// Sends so many requests of one event each.
    /// - Returns: their ids, in the order of the answers.
    private func send(_ count: Int, to collector: Collector, prefix: String = "e") async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            let reply = try await collector.post("[\(event("\(prefix)\(number)"))]")
            #expect(reply.status == 200)
            ids.append(try #require(reply.headers["x-request-id"]))
        }
        return ids
    }

    /// Looks again and again; the suite's limit ends it.
    private func wait(until isTrue: () async -> Bool) async throws {
        while await !isTrue() { try await Task.sleep(for: .milliseconds(10)) }
    }

    private func configuration(
        _ kafka: MockKafka,
        store: String? = nil,
        settings: [String: String] = [:]
    ) -> CollectorConfiguration {
        // Found again at once, so that a test does not wait.
        let quick = ["reconnect.backoff.ms": "20", "reconnect.backoff.max.ms": "100", "retry.backoff.ms": "20"]
        var configuration = CollectorConfiguration(storePath: store)
        configuration.kafka = KafkaDestination(brokers: kafka.brokers, settings: quick.merging(settings) { $1 })
        return configuration
    }

    @Test("each request becomes the published server's row, in the order of arrival, readable or not")
    func rows() async throws {
        let kafka = try MockKafka()
        let expected = try await withCollector(configuration(kafka)) { collector in
            var ids = try await send(3, to: collector)
            for body in ["not readable \u{1F600}", "", #"["\#u{2028}", "\u0000 \\ \""]"#] {
                let target = "/collect?appId=shop&platform=Linux&compression=&upload_timestamp=17&hashCode=0123abcd"
                let headers = ["User-Agent": "tester", "X-Forwarded-For": "1.2.3.4, 5.6.7.8"]
                let reply = try await collector.post(body, target, headers: headers)
                ids.append(try #require(reply.headers["x-request-id"]))
            }
            var requests: [NSDictionary] = []
            for id in ids {
                let whole = try await collector.get("/api/requests/\(id)").object()
                requests.append(whole.filter { Self.fields.contains($0.key) } as NSDictionary)
            }
            return requests
        }
        #expect(try await rows(kafka.messages()) == expected)
    }

    @Test("unavailable brokers block no sender, and receive everything when they return")
    func away() async throws {
        let kafka = try MockKafka(partitions: 4)
        kafka.goAway()
        let sent = try await withCollector(configuration(kafka)) { collector in
            let ids = try await send(50, to: collector)
            try await wait { await collector.kafka()?.failure != nil }
            let status = await collector.kafka()
            #expect(status?.delivered == 0 && status?.behind == 50)
            let metrics = try await collector.get("/metrics").text
            #expect(metrics.contains("\nclickstream_collector_kafka_behind 50\n"))
            #expect(metrics.contains("\nclickstream_collector_kafka_failing 1\n"))
            kafka.comeBack()
            try await wait { await collector.kafka()?.behind == 0 }
            #expect(await collector.kafka() == KafkaStatus(delivered: 50))
            return ids
        }
        #expect(try await identifiers(kafka).sorted() == sent.sorted())
    }

    @Test(
        "requests that brokers reject temporarily are sent again",
        arguments: [
            RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
            RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR__TRANSPORT,
            RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART,
        ]
    )
    func turnedDown(_ code: rd_kafka_resp_err_t) async throws {
        let kafka = try MockKafka()
        kafka.failNext([code, code])
        let sent = try await withCollector(configuration(kafka)) { collector in
            try await send(20, to: collector)
        }
        #expect(try await Set(identifiers(kafka)) == Set(sent))
    }

    @Test("a request that is too large for Kafka is counted and kept in the store, and the others are sent")
    func tooLarge() async throws {
        let kafka = try MockKafka()
        let configuration = configuration(kafka, settings: ["message.max.bytes": "20000"])
        let sent = try await withCollector(configuration) { collector in
            var sent = try await send(2, to: collector, prefix: "before")
            let large = String(repeating: "a", count: 30_000)
            #expect(try await collector.post("[\(event("large", attributes: #""long":"\#(large)""#))]").status == 200)
            sent += try await send(2, to: collector, prefix: "after")
            try await wait { await collector.kafka()?.behind == 0 }
            #expect(await collector.kafka() == KafkaStatus(delivered: 4, refused: 1))
            #expect(try await collector.summary().requests == 5)
            return sent
        }
        #expect(try await identifiers(kafka) == sent)
    }

    @Test("requests missing in Kafka when the collector stops are sent once after the next start")
    func restarted() async throws {
        let kafka = try MockKafka()
        try await withFolder { folder in
            let configuration = configuration(kafka, store: folder + "/store.sqlite")
            var sent = try await withCollector(configuration) { try await send(10, to: $0, prefix: "a") }
            kafka.goAway()
            var limits = Limits()
            limits.stopSeconds = 0
            let collector = try await Collector.start(configuration, time: FixedTime(), limits: limits)
            sent += try await send(20, to: collector, prefix: "b")
            await collector.stop()
            #expect(await collector.kafka()?.behind == 20)
            kafka.comeBack()
            for prefix in ["c", "d"] {
                sent += try await withCollector(configuration) { try await send(3, to: $0, prefix: prefix) }
            }
            #expect(try await identifiers(kafka) == sent)
        }
    }

    @Test("many requests come in several batches")
    func many() async throws {
        let kafka = try MockKafka(partitions: 3)
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let sent = try await withCollector(CollectorConfiguration(storePath: path)) {
                try await send(1_100, to: $0)
            }
            try await withCollector(configuration(kafka, store: path)) { _ in }
            #expect(try await identifiers(kafka).sorted() == sent.sorted())
        }
    }

    @Test("no answered request is lost if the collector is killed while sending")
    func killed() async throws {
        let kafka = try MockKafka(partitions: 3)
        try await withFolder { folder in
            var sent: [String] = []
            for round in 0..<6 {
                let collector = try CollectorCommand(store: folder + "/store.sqlite", brokers: kafka.brokers)
                if round == 3 { kafka.goAway() }
                sent += try await collector.send(40, prefix: "\(round)-")
                if round == 4 { kafka.comeBack() }
                if round < 5 { collector.kill() } else { collector.stop() }
            }
            #expect(sent.count == 240)
            let found = try await identifiers(kafka)
            #expect(Set(found) == Set(sent))
        }
    }

    @Test(
        "a setting that is unknown to librdkafka, or that the guarantee depends on, is a configuration error",
        arguments: [["no.such.setting": "1"], ["acks": "0"], ["enable.idempotence": "false"], ["linger.ms": "soon"]]
    )
    func settings(_ settings: [String: String]) async throws {
        var configuration = CollectorConfiguration()
        configuration.kafka = KafkaDestination(brokers: "127.0.0.1:1", settings: settings)
        await #expect { [configuration] in
            try await Collector.start(configuration)
        } throws: { error in
            guard case .invalidConfiguration(let text)? = error as? CollectorError else { return false }
            return settings.keys.allSatisfy { text.contains($0) }
        }
    }
}

/// `clickstream-cli collect --kafka` as a process that can be killed.
private struct CollectorCommand {
    private let process = Process()
    private let port: Int

    /// Program built with the tests, in the same folder.
    private static var executable: URL? {
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        return [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent(), folder]
            .map { $0.appending(path: "clickstream-cli") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    init(store: String, brokers: String) throws {
        let output = Pipe()
        let executable: URL = try #require(Self.executable)
        process.executableURL = executable
        process.arguments = ["collect", "--port", "0", "--format", "json", "--store", store, "--kafka", brokers]
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1)?.first {
            line.append(byte)
        }
        let announcement = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
        port = try #require(announcement?["port"] as? Int)
    }

    /// - Returns: the ids of the requests that were answered with 200.
    func send(_ count: Int, prefix: String) async throws -> [String] {
        let port = port
        return try await RawConnection.blocking {
            try (0..<count).map { number in
                let connection = try RawConnection(port: port)
                let body = Array("[\(event("\(prefix)\(number)"))]".utf8)
                connection.send(RawConnection.request("POST", "/collect?appId=shop", body: body))
                let reply = try connection.receive()
                #expect(reply.status == 200)
                return try #require(reply.headers["x-request-id"])
            }
        }
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
#endif
