import ClickstreamCore
import Glibc

/// Cost of `recordEvent` for its caller.
struct Recording: Sendable {
    let folder: String
    /// 1 for a whole run; less for a quick one.
    let scale: Double

    /// The time of a call, beside what the machine takes for the same bytes.
    func latency() throws {
        let client = try Sample.client("\(folder)/client")
        let watched = try Sample.client("\(folder)/watched", observe: { _ in })
        let prepared = [0, 8, 50].map { $0 == 8 ? Sample.attributes(279.9, 3) : Sample.built($0) }
        let primitives = try Primitives(folder: folder, bytes: Sample.storedBytes("\(folder)/look"))
        let calls = 250
        var contest = Contest()
        contest.enter("0 attributes") { client.record("add_to_cart") }
        contest.enter("8 attributes, prepared") { client.record("add_to_cart", attributes: prepared[1]) }
        contest.enter("write(2)", prepare: { primitives.prepare(calls) }, { primitives.write() })
        contest.enter("8 attributes, literal") { client.record("add_to_cart", attributes: Sample.attributes(279.9, 3)) }
        contest.enter("mapped memory", prepare: { primitives.prepare(calls) }, { primitives.map() })
        contest.enter("50 attributes, prepared") { client.record("add_to_cart", attributes: prepared[2]) }
        contest.enter("memcpy") { primitives.copy() }
        contest.enter("50 attributes, built anew") { client.record("add_to_cart", attributes: Sample.built(50)) }
        contest.enter("8 attributes, observed") { watched.record("add_to_cart", attributes: prepared[1]) }
        contest.enter("two clock readings alone") {}
        contest.run(turns: Int(220 * scale), calls: calls)
        client.terminate()
        watched.terminate()

        let bare = contest.quantile(0.5, of: "write(2)")
        for name in ["two clock readings alone", "memcpy", "mapped memory", "write(2)"] {
            Finding.report("\(name), p50", contest.quantile(0.5, of: name), "ns")
        }
        Finding.report("write(2), p99.9", contest.quantile(0.999, of: "write(2)"), "ns")
        for name in [
            "0 attributes", "8 attributes, prepared", "8 attributes, literal", "50 attributes, prepared",
            "50 attributes, built anew", "8 attributes, observed",
        ] {
            Finding.report(
                "record, \(name), p50",
                contest.quantile(0.5, of: name),
                "ns",
                limit: bare,
                rival: "write(2)"
            )
        }
        let typical = contest.quantile(0.5, of: "8 attributes, prepared")
        Finding.report(
            "record, 8 attributes, prepared, p99",
            contest.quantile(0.99, of: "8 attributes, prepared"),
            "ns",
            limit: typical,
            rival: "its p50"
        )
        Finding.report(
            "record, 8 attributes, prepared, p99.9",
            contest.quantile(0.999, of: "8 attributes, prepared"),
            "ns"
        )
        for (name, series) in [
            ("8 attributes, prepared", "Clickstream for Swift"), ("write(2)", "write(2), same bytes"),
            ("mapped memory", "mapped memory, same bytes"),
        ] {
            Finding.draw("record latency", series, contest.distribution(of: name))
        }
        try logging()
    }

    /// The time of a call while each event is printed, with standard error thrown away.
    private func logging() throws {
        let standardError = dup(STDERR_FILENO)
        let nowhere = open("/dev/null", O_WRONLY)
        dup2(nowhere, STDERR_FILENO)
        let client = try Sample.client("\(folder)/log", logsEvents: true)
        let prepared = Sample.attributes(279.9, 3)
        var contest = Contest()
        contest.enter("record") { client.record("add_to_cart", attributes: prepared) }
        contest.run(turns: Int(60 * scale) + 10, calls: 250)
        client.terminate()
        dup2(standardError, STDERR_FILENO)
        close(standardError)
        close(nowhere)
        Finding.report("record, 8 attributes, log on, p50", contest.quantile(0.5, of: "record"), "ns")
    }

    /// Time of a call while another process keeps the disk busy, which the caller starts.
    func saturated() throws {
        let client = try Sample.client("\(folder)/client")
        let prepared = Sample.attributes(279.9, 3)
        let primitives = try Primitives(folder: folder, bytes: Sample.storedBytes("\(folder)/look"))
        var contest = Contest()
        contest.enter("record") { client.record("add_to_cart", attributes: prepared) }
        contest.enter("write(2)", prepare: { primitives.prepare(250) }, { primitives.write() })
        contest.enter("mapped memory", prepare: { primitives.prepare(250) }, { primitives.map() })
        contest.run(turns: Int(400 * scale), calls: 250)
        client.terminate()
        let bare = contest.quantile(0.999, of: "write(2)")
        Finding.report("record, disk saturated, p50", contest.quantile(0.5, of: "record"), "ns")
        Finding.report("write(2), disk saturated, p99.9", bare, "ns")
        Finding.report("mapped memory, disk saturated, p99.9", contest.quantile(0.999, of: "mapped memory"), "ns")
        Finding.report(
            "record, disk saturated, p99.9",
            contest.quantile(0.999, of: "record"),
            "ns",
            limit: bare,
            rival: "write(2)"
        )
    }

    /// Events a second, for as long as a store of 500 MB takes.
    func sustained() async throws {
        let count = Int(200_000 * scale)
        let prepared = Sample.attributes(279.9, 3)
        let primitives = try Primitives(folder: folder, bytes: Sample.storedBytes("\(folder)/look"))
        var (one, two, bare): ([Double], [Double], [Double]) = ([], [], [])
        func rate(_ events: Int, since start: UInt64) -> Double { Double(events) * 1e9 / Double(now() - start) }
        for round in 0..<3 {
            let client = try Sample.client("\(folder)/one\(round)")
            var start = now()
            for _ in 0..<count { client.record("add_to_cart", attributes: prepared) }
            one.append(rate(count, since: start))
            client.terminate()

            start = now()
            for _ in 0..<count { primitives.write() }
            bare.append(rate(count, since: start))
            primitives.prepare(0)

            let shared = try Sample.client("\(folder)/two\(round)")
            start = now()
            await withTaskGroup { group in
                for _ in 0..<2 {
                    group.addTask { for _ in 0..<count / 2 { shared.record("add_to_cart", attributes: prepared) } }
                }
            }
            two.append(rate(count / 2 * 2, since: start))
            shared.terminate()
        }
        let single = median(one)
        Finding.report("record, sustained, one thread", single, "events/s", limit: median(bare), rival: "write(2)")
        Finding.report("record, sustained, two threads", median(two), "events/s", limit: single, rival: "one thread")
    }

    /// Cost of an event when many are queued already.
    func queued() throws {
        let prepared = Sample.attributes(279.9, 3)
        let full = try Sample.client("\(folder)/full")
        var held = 0
        var points: [(x: Double, y: Double)] = []
        for length in [0, 1_000, 10_000, 100_000, 250_000, 500_000, 1_000_000] where length <= Int(1_000_000 * scale) {
            while held < length {
                full.record("add_to_cart", attributes: prepared)
                held += 1
            }
            var contest = Contest()
            contest.enter("record") { full.record("add_to_cart", attributes: prepared) }
            contest.run(turns: 20, calls: 100)
            held += 2_000
            points.append((Double(max(length, 1)), contest.quantile(0.5, of: "record")))
        }
        Finding.draw("queue length", "Clickstream for Swift", points)

        let empty = try Sample.client("\(folder)/empty")
        var contest = Contest()
        contest.enter("empty") { empty.record("add_to_cart", attributes: prepared) }
        contest.enter("full") { full.record("add_to_cart", attributes: prepared) }
        contest.run(turns: Int(200 * scale) + 20, calls: 200)
        Finding.report(
            "record, \(held) queued, p50",
            contest.quantile(0.5, of: "full"),
            "ns",
            limit: contest.quantile(0.5, of: "empty"),
            rival: "an empty store"
        )
        empty.terminate()
        full.terminate()
    }

    /// Cost of an event by its attributes, and of a login by the stored users.
    func growth() throws {
        let client = try Sample.client("\(folder)/attributes")
        var points: [(x: Double, y: Double)] = []
        for count in [1, 2, 5, 10, 20, 50, 100, 200, 400] {
            let prepared = Sample.built(count)
            var contest = Contest()
            contest.enter("record") { client.record("add_to_cart", attributes: prepared) }
            contest.run(turns: 20, calls: Int(100 * scale) + 20)
            points.append((Double(count), contest.quantile(0.5, of: "record")))
        }
        client.terminate()
        Finding.draw("attributes of an event", "prepared", points)
        if let few = points.first(where: { $0.x == 10 }), let many = points.last {
            Finding.report("each of 400 attributes", many.y / many.x, "ns", limit: few.y / few.x, rival: "each of 10")
        }
    }

    /// Cost of a login by the users that were logged in before, including its profile event.
    func logins() throws {
        let client = try Sample.client("\(folder)/users")
        var points: [(x: Double, y: Double)] = []
        var users = 0
        for length in [10, 30, 100, 300, 1_000, 3_000] where Double(length) <= 3_000 * max(scale, 0.1) {
            var durations: [Double] = []
            while users < length {
                let start = now()
                client.setUserID("user\(users)")
                durations.append(Double(now() - start))
                users += 1
            }
            points.append((Double(length), median(Array(durations.suffix(9)))))
        }
        client.terminate()
        Finding.draw("users in a replay", "a new user's login", points)
        if let few = points.first, let many = points.last {
            Finding.report("login of user \(Int(many.x))", many.y, "ns", limit: few.y, rival: "user 10")
        }
    }

    /// Anonymous memory over that of the same program before it had a client.
    func memory() throws {
        let prepared = Sample.attributes(279.9, 3)
        let before = Self.anonymousBytes()
        let client = try Sample.client("\(folder)/client")
        var held = 0
        var points: [(x: Double, y: Double)] = []
        for length in [1_000, 10_000, 100_000, 1_000_000] where length <= Int(1_000_000 * scale) {
            while held < length {
                client.record("add_to_cart", attributes: prepared)
                held += 1
            }
            points.append((Double(length), Double(Self.anonymousBytes() - before) / 1_048_576))
        }
        client.terminate()
        for point in points {
            Finding.report("anonymous memory of the client, \(Int(point.x)) queued", point.y, "MiB")
        }
        if points.count > 2, let last = points.last {
            Finding.report("anonymous memory, growth from 10 000 to \(Int(last.x)) queued", last.y - points[1].y, "MiB")
        }
    }

    /// Memory of the process that is backed by no file, as counted by the kernel page by page.
    private static func anonymousBytes() -> Int {
        guard let file = fopen("/proc/self/smaps_rollup", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(separator: " ")
            if words.first == "Anonymous:", words.count > 1 { return (Int(words[1]) ?? 0) * 1_024 }
        }
        return 0
    }
}
