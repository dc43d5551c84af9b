import ClickstreamCore
import ClickstreamServer
import Foundation

/// `ServerCosts scaling [SHARDS]|once SUBJECT THREADS|sessions|kills ROUNDS|storm`: see Docs/server.md.
@main
struct ServerCosts {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "scaling": try Scaling.run(shards: arguments.count > 2 ? Int(arguments[2]) : nil)
        case "once": try Scaling.runOnce(arguments.dropFirst(2).first, threads: arguments.dropFirst(3).first)
        case "sessions": Sessions.run()
        case "kills": try await Kills.run(rounds: arguments.count > 2 ? Int(arguments[2]) ?? 1_000 : 1_000)
        case "child": try Kills.child(folder: arguments[2], number: Int(arguments[3]) ?? 0)
        case "storm": try await Storm.run()
        default: print("ServerCosts scaling [SHARDS]|once SUBJECT THREADS|sessions|kills ROUNDS|storm")
        }
    }

    /// Opens server events in a folder of the disk.
    static func open(
        _ folder: String,
        transport: (any ClickstreamClient.Transport)? = nil,
        sessions: SessionTable? = nil,
        shards: Int? = nil,
        configure: (inout ClickstreamClient.Configuration) -> Void = { _ in }
    ) throws -> ServerEvents {
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://collector.test/collect")
        configuration.sendInterval = .zero
        configuration.compressesEvents = false
        configuration.maxStoreBytes = 4_000_000_000
        configure(&configuration)
        let world = ClickstreamClient.World(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux"),
            storage: folder,
            transport: transport
        )
        return try ServerEvents(in: world, sessions: sessions, shards: shards)
    }

    /// Path of a new folder in TMPDIR, which must be on a disk for times that count.
    static func folder() -> String {
        let name = "server-costs-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        return FileManager.default.temporaryDirectory.appending(path: name).path
    }

    /// Runs `body` on threads, and returns the seconds until the last one has ended.
    static func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> Double {
        let done = DispatchGroup()
        let start = DispatchTime.now().uptimeNanoseconds
        for number in 0..<count {
            done.enter()
            let thread = Thread {
                body(number)
                done.leave()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
        done.wait()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    }
}

/// Memory and time of a table of a million visitors.
enum Sessions {
    static func run() {
        let ids = (0..<1_000_000).map { "0f8fad5b-d9cb-469f-a165-70867\($0)" }
        let before = residentBytes()
        let table = SessionTable(capacity: 1_000_000)
        var time = Timestamp(milliseconds: 1_704_067_200_000)
        for (name, count) in [("first event", 1), ("later event", 3)] {
            let start = DispatchTime.now().uptimeNanoseconds
            for _ in 0..<count {
                for id in ids { _ = table.session(of: id, at: time) }
                time.milliseconds += 1_000
            }
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - start
            print("\(name): \(nanoseconds / UInt64(count * ids.count)) ns a visitor")
        }
        let megabytes = (residentBytes() - before) / 1_000_000
        print("\(table.count) visitors: \(megabytes) MB; \(table.evictions) evicted")
    }

    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// 64 threads that record, flush, reconfigure and shut down, for the thread sanitizer.
enum Storm {
    static func run() async throws {
        let folder = ServerCosts.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<3 {
            let inbox = Inbox()
            let events = try ServerCosts.open(folder, transport: inbox, sessions: SessionTable(capacity: 500)) {
                $0.sendInterval = .milliseconds(5)
                $0.maxStoreBytes = 400_000
            }
            let seconds = ServerCosts.onThreads(64) { thread in
                for number in 0..<200 {
                    let visitor = Visitor(deviceID: "visitor-\((thread * 7 + number) % 1_000)")
                    events.record("view", ["n": number], for: visitor)
                    switch (thread, number % 50) {
                    case (0..<4, 0): events.flushEvents()
                    case (4..<8, 0): events.configure { $0.globalAttributes = ["thread": thread] }
                    case (8, 25): events.configure { $0.endpoint = "http://collector-\(number).test/collect" }
                    case (9, 10): events.disable()
                    case (9, 20): events.enable()
                    case (10..<12, 0): _ = (events.pressure, events.accounts)
                    case (12, 49) where number > 150: Task { await events.shutdown(deadline: .seconds(1)) }
                    default: break
                    }
                }
            }
            let report = await events.shutdown(deadline: .seconds(2))
            let accounts = events.accounts
            let sum = accounts.delivered + accounts.retained + accounts.dropped.values.reduce(0, +)
            print("\(seconds) s, \(report.retained) retained, books agree: \(accounts.recorded == sum)")
        }
    }
}
