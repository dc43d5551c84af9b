import ClickstreamAnalytics
import ClickstreamCore
import Glibc
import Synchronization

/// Cost of a flush, with a network that takes everything at once and with one on this machine.
struct Sending: Sendable {
    let folder: String
    let scale: Double

    /// Takes every request, and keeps its body.
    private final class Taker: ClickstreamClient.Transport {
        private let kept = Mutex<[[UInt8]]>([])
        var bodies: [[UInt8]] { kept.withLock { $0 } }

        func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
            kept.withLock { $0.append(request.body) }
            return UploadResponse(status: 200)
        }
    }

    private func filled(
        _ name: String,
        _ count: Int,
        transport: any ClickstreamClient.Transport,
        endpoint: String
    ) throws -> ClickstreamClient {
        let client = try Sample.client("\(folder)/\(name)", transport: transport, endpoint: endpoint)
        for number in 0..<count { client.record("add_to_cart", attributes: Sample.attributes(279.9, number)) }
        return client
    }

    /// Reading, batching, compressing, signing and settling, in turns with what cannot be left out of that.
    func nowhere() async throws {
        let count = Int(40_000 * scale)
        var (rates, cores, shares, coreShares): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        var steps: [(deflate: Double, digest: Double, encode: Double)] = []
        var last: FlushReport?
        var name = ""
        for round in 0..<5 {
            let taker = Taker()
            let client = try filled("out\(round)", count, transport: taker, endpoint: "http://127.0.0.1:9/collect")
            let start = now()
            let cpu = Self.processorTime()
            let report = await client.flush()
            last = report
            let rate = Double(report.sent) * 1e9 / Double(now() - start)
            cores.append(Double(report.sent) / (Self.processorTime() - cpu))
            client.terminate()
            guard report.isComplete, let bare = Bare(bodies: taker.bodies) else {
                Self.complain("a flush without network sent \(report.sent) of \(count) events\n")
                exit(70)
            }
            name = bare.name
            let bareCPU = Self.processorTime()
            let times = bare.run()
            coreShares.append((cores.last ?? 0) * (Self.processorTime() - bareCPU) / Double(report.sent))
            let limit = Double(report.sent) / (times.deflate + times.digest + times.encode)
            steps.append(times)
            rates.append(rate)
            shares.append(rate / limit)
        }
        Finding.report(
            "flush without network",
            median(rates),
            "events/s",
            limit: median(rates) / median(shares),
            rival: name
        )
        Finding.report(
            "flush without network, a second of one core",
            median(cores),
            "events/s",
            limit: median(cores) / median(coreShares),
            rival: name
        )
        guard let report = last else { return }
        Finding.report("bare zlib", median(steps.map(\.deflate)) * 1e9 / Double(report.sent), "ns/event")
        Finding.report("bare SHA-256", median(steps.map(\.digest)) * 1e9 / Double(report.sent), "ns/event")
        Finding.report("bare base64", median(steps.map(\.encode)) * 1e9 / Double(report.sent), "ns/event")
        Finding.report("flush, bytes on the wire", Double(report.sentBytes) / Double(max(1, report.sent)), "B/event")
        Finding.report("flush, bytes of JSON", Double(report.rawBytes) / Double(max(1, report.sent)), "B/event")
    }

    /// To an HTTP server on this machine.
    func loopback(endpoint: String) async throws {
        let count = Int(40_000 * scale)
        var rates: [Double] = []
        var cores: [Double] = []
        for round in 0..<5 {
            let client = try filled("loop\(round)", count, transport: URLSessionTransport(), endpoint: endpoint)
            let start = now()
            let cpu = Self.processorTime()
            let report = await client.flush()
            guard report.isComplete else {
                Self.complain("the server took \(report.sent) of \(count): \(report.lastError?.description ?? "")\n")
                exit(70)
            }
            rates.append(Double(report.sent) * 1e9 / Double(now() - start))
            cores.append(Double(report.sent) / (Self.processorTime() - cpu))
            client.terminate()
        }
        Finding.report("flush on loopback", median(rates), "events/s")
        Finding.report("flush on loopback, a second of one core", median(cores), "events/s")
    }

    /// Sends to a collector that stores, round by round: whether what it holds slows it down.
    func collector(endpoint: String, rounds: Int) async throws {
        let count = Int(20_000 * scale)
        var points: [(x: Double, y: Double)] = []
        var stored = 0
        for round in 0..<rounds {
            let client = try filled("round\(round)", count, transport: URLSessionTransport(), endpoint: endpoint)
            let start = now()
            let report = await client.flush(deadline: .seconds(30))
            guard report.isComplete else {
                Self.complain("the collector took \(report.sent) of \(count): \(report.lastError?.description ?? "")\n")
                exit(70)
            }
            points.append((Double(stored + report.sent / 2), Double(now() - start) / Double(report.sent)))
            stored += report.sent
            client.terminate()
        }
        Finding.draw("stored events", "flush into the collector", points)
        if points.count >= 6 {
            let first = median(points[1..<points.count / 2].map(\.y))
            let last = median(points[(points.count / 2)...].map(\.y))
            Finding.report(
                "into the collector, second half of \(stored) events",
                last,
                "ns",
                limit: first,
                rival: "first half"
            )
        }
    }

    static func complain(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Seconds of processor that this process used.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
