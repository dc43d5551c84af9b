import CMeter
import ClickstreamCore
import FoundationEssentials
import Glibc
import Synchronization

/// Measures and prints, in a folder that is empty; `loop` records and prints nothing, for profilers.
@main
enum Record {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 2 else {
            print("usage: Record latency|saturated|sustained|threads|queued|memory|loop <empty folder> [<count>]")
            exit(64)
        }
        let folder = words[1]
        let count = words.count > 2 ? Int(words[2]) : nil
        switch words[0] {
        case "saturated": try latency(folder, name: "saturated disk")
        case "sustained": try sustained(folder)
        case "threads": try threads(folder, count ?? 200_000)
        case "queued": try queued(folder, count ?? 1_000_000)
        case "memory": try memory(folder)
        case "loop": try loop(folder, count ?? 10_000)
        default:
            try latency(folder, name: "quiet disk")
        }
    }

    /// The bytes of the newest record in a store.
    private static func lastRecord(_ folder: String) throws -> [UInt8] {
        let run = folder + "/sample/runs/1"
        let segments = try FileManager.default.contentsOfDirectory(atPath: run).filter { $0.hasSuffix(".events") }
        guard let last = segments.max(), let bytes = FileManager.default.contents(atPath: "\(run)/\(last)") else {
            return []
        }
        let lines = [UInt8](bytes).split(separator: UInt8(ascii: "\n")).filter { $0.first != 0 }
        return Array(lines.last ?? []) + [UInt8(ascii: "\n")]
    }

    /// A call's latency beside the primitives', in turns, so that whatever else the machine does meets all of them.
    private static func latency(_ folder: String, name: String) throws {
        let client = try Sample.client(folder)
        let prepared = Sample.attributes(12.5, 3)
        client.record("add_to_cart", attributes: prepared)
        let bytes = try lastRecord(folder)
        let primitives = Primitives(folder: folder, bytes: bytes)
        var record = Histogram()
        var literal = Histogram()
        var typed = Histogram()
        var bare = Histogram()
        var mapped = Histogram()
        var copied = Histogram()
        var clock = Histogram()
        for round in 0..<210 {
            // The first rounds only warm up.
            if round == 10 {
                record = Histogram()
                literal = Histogram()
                typed = Histogram()
                bare = Histogram()
                mapped = Histogram()
                copied = Histogram()
                clock = Histogram()
            }
            primitives.prepare(1_000)
            measure(1_000, into: &record) { client.record("add_to_cart", attributes: prepared) }
            measure(1_000, into: &bare) { primitives.write() }
            measure(1_000, into: &literal) { client.record("add_to_cart", attributes: Sample.attributes(12.5, round)) }
            measure(1_000, into: &typed) { client.record(Sample.AddToCart(price: 12.5, count: round)) }
            measure(1_000, into: &mapped) { primitives.writeMapped() }
            measure(1_000, into: &copied) { primitives.copy() }
            measure(1_000, into: &clock) {}
        }
        report("bytes of a record", Double(bytes.count), "B")
        report("reading the clock, in every figure, \(name)", clock.quantile(0.5), "ns")
        report("memcpy p50, \(name)", copied.quantile(0.5), "ns")
        report("mapped memory p50, \(name)", mapped.quantile(0.5), "ns")
        report("mapped memory p99.9, \(name)", mapped.quantile(0.999), "ns")
        report("write(2) p50, \(name)", bare.quantile(0.5), "ns")
        report("write(2) p99, \(name)", bare.quantile(0.99), "ns")
        report("write(2) p99.9, \(name)", bare.quantile(0.999), "ns")
        let (half, tail) = (record.quantile(0.5), record.quantile(0.99))
        report("record p50, \(name)", half, "ns", limit: 1.5 * bare.quantile(0.5), rival: "1.5 x write(2)")
        report("record p99, \(name)", tail, "ns", limit: 4 * half, rival: "4 x its p50")
        report("record p99.9, \(name)", record.quantile(0.999), "ns", limit: 50_000)
        report("record with a literal p50, \(name)", literal.quantile(0.5), "ns")
        report("record with a literal p99.9, \(name)", literal.quantile(0.999), "ns", limit: 50_000)
        report("record of a typed event p50, \(name)", typed.quantile(0.5), "ns")
        report("record p50 : write(2) p50, \(name)", half / bare.quantile(0.5), "x", limit: 1.5, rival: "write(2)")

        let before = meter_allocations()
        for _ in 0..<1_000 { client.record("add_to_cart", attributes: prepared) }
        let between = meter_allocations()
        for count in 0..<1_000 { client.record("add_to_cart", attributes: Sample.attributes(12.5, count)) }
        let after = meter_allocations()
        for count in 0..<1_000 { withExtendedLifetime(Sample.attributes(12.5, count)) {} }
        let end = meter_allocations()
        report("allocations of a record", Double(between - before) / 1_000, "blocks", limit: 0)
        report(
            "allocations of a record with a literal",
            Double(after - between) / 1_000,
            "blocks",
            limit: Double(end - after) / 1_000,
            rival: "the literal alone"
        )
        client.terminate()
    }

    /// Events a second from one thread and from two, beside `write(2)` of the same bytes.
    private static func sustained(_ folder: String) throws {
        let count = 200_000
        let client = try Sample.client(folder)
        let prepared = Sample.attributes(12.5, 3)
        client.record("add_to_cart", attributes: prepared)
        let bytes = try lastRecord(folder)
        var (one, two, bare) = (0.0, 0.0, 0.0)
        for _ in 0..<3 {
            let primitives = Primitives(folder: folder, bytes: bytes)
            var start = meter_now()
            for _ in 0..<count { primitives.write() }
            bare = max(bare, Double(count) / Double(meter_now() - start) * 1e9)

            start = meter_now()
            for _ in 0..<count { client.record("add_to_cart", attributes: prepared) }
            one = max(one, Double(count) / Double(meter_now() - start) * 1e9)

            start = meter_now()
            inThreads(2) { _ in for _ in 0..<count / 2 { client.record("add_to_cart", attributes: prepared) } }
            two = max(two, Double(count) / Double(meter_now() - start) * 1e9)
        }
        report("write(2), sustained", bare, "events/s")
        report("record, sustained, one thread", one, "events/s", limit: 500_000)
        report("record, sustained : write(2)", one / bare, "x")
        report("record, sustained, two threads", two, "events/s", limit: one, rival: "one thread")
        client.terminate()
    }

    /// A call's latency in two threads that each record an event every millisecond, every 100 µs, and without a pause.
    private static func threads(_ folder: String, _ count: Int) throws {
        let prepared = Sample.attributes(12.5, 3)
        for (pause, name, count) in [
            (1_000_000, "every 1 ms", count / 50), (100_000, "every 100 µs", count / 5), (0, "without pause", count),
        ] {
            let client = try Sample.client("\(folder)/\(pause)")
            for _ in 0..<1_000 { client.record("add_to_cart", attributes: prepared) }
            let histograms = Mutex<[Histogram]>([])
            let start = meter_now()
            inThreads(2) { thread in
                var histogram = Histogram()
                var random = UInt64(thread + 1)
                var next = meter_now()
                for _ in 0..<count {
                    // The pauses vary by half, so that the threads meet by chance.
                    if pause > 0 {
                        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        next += UInt64(pause / 2) + (random >> 33) % UInt64(pause)
                        let now = meter_now()
                        if next > now + 60_000 { usleep(UInt32((next - now - 60_000) / 1_000)) }
                        while meter_now() < next {}
                    }
                    measure(1, into: &histogram) { client.record("add_to_cart", attributes: prepared) }
                }
                histograms.withLock { $0.append(histogram) }
            }
            let seconds = Double(meter_now() - start) / 1e9
            let all = histograms.withLock { $0 }
            for share in [0.5, 0.99, 0.999] {
                let worst = all.map { $0.quantile(share) }.max() ?? 0
                report("record in two threads, \(name), p\(share * 100)", worst, "ns")
            }
            report("record in two threads, \(name)", Double(2 * count) / seconds, "events/s")
            client.terminate()
        }
    }

    private static func inThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
        final class Work: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var threads: [pthread_t] = []
        for number in 0..<count {
            var thread = pthread_t()
            let work = Unmanaged.passRetained(Work { body(number) }).toOpaque()
            pthread_create(
                &thread,
                nil,
                {
                    Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().body()
                    return nil
                },
                work
            )
            threads.append(thread)
        }
        for thread in threads { pthread_join(thread, nil) }
    }

    /// Cost of a record in an empty store and with `count` queued events, and of opening that store.
    private static func queued(_ folder: String, _ count: Int) throws {
        let client = try Sample.client(folder, maxStoreBytes: 1 << 40)
        let prepared = Sample.attributes(12.5, 3)
        var (empty, full) = (Histogram(), Histogram())
        measure(20_000, into: &empty) { client.record("add_to_cart", attributes: prepared) }
        for _ in 0..<count { client.record("add_to_cart", attributes: prepared) }
        measure(20_000, into: &full) { client.record("add_to_cart", attributes: prepared) }
        report(
            "record p50 with \(count) queued",
            full.quantile(0.5),
            "ns",
            limit: 1.1 * empty.quantile(0.5),
            rival: "1.1 x empty"
        )
        client.terminate()
    }

    /// Anonymous memory of the process before and after a client and many records; reopening 50 MB.
    private static func memory(_ folder: String) throws {
        let before = meter_anonymous_bytes()
        let client = try Sample.client(folder)
        let prepared = Sample.attributes(12.5, 3)
        for _ in 0..<200_000 { client.record("add_to_cart", attributes: prepared) }
        report("anonymous memory of the SDK", Double(meter_anonymous_bytes() - before) / 1_048_576, "MiB", limit: 4)
        client.terminate()
        let start = meter_now()
        let next = try Sample.client(folder)
        report("launch with 50 MB queued", Double(meter_now() - start) / 1e6, "ms", limit: 5)
        next.terminate()
    }

    private static func loop(_ folder: String, _ count: Int) throws {
        let client = try Sample.client(folder)
        let prepared = Sample.attributes(12.5, 3)
        for _ in 0..<count { client.record("add_to_cart", attributes: prepared) }
        client.terminate()
    }
}
