#if Collector && os(Linux)
import ClickstreamCore
import Foundation
import TestSupport
import Testing

/// Offsets of real processes, each with a `TZ` of its own.
@Suite("Offset from GMT of a process")
struct TimeZoneTests {
    /// The offsets in minutes that a process with that `TZ` has at the given times.
    private static func offsets(_ zone: String, at times: [Timestamp]) throws -> [Int] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = TestProgram.url("CrashFixture")
        process.arguments = ["zone"] + times.map { "\($0.milliseconds)" }
        process.environment = ProcessInfo.processInfo.environment.merging(["TZ": zone]) { $1 }
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }.map { $0 / 60_000 }
    }

    @Test(
        "is that of the C library, in winter and in summer",
        arguments: [
            // The sign of POSIX: to be added to local time.
            ("UTC-8", [480, 480]), ("GMT+3", [-180, -180]), ("UTC+5:30", [-330, -330]), ("<+0330>-3:30", [210, 210]),
            ("EST5EDT", [-300, -240]), ("CET-1CEST,M3.5.0,M10.5.0/3", [60, 120]),
            // Not names of zones: GMT.
            ("BST", [0, 0]), ("IST", [0, 0]), ("PST", [0, 0]), ("Nonsense", [0, 0]), ("", [0, 0]), (":", [0, 0]),
            ("UTC", [0, 0]), ("America/New_York", [-300, -240]), (":America/New_York", [-300, -240]),
            ("America/St_Johns", [-210, -150]), ("Europe/Berlin", [60, 120]), (":Asia/Shanghai", [480, 480]),
            ("Asia/Kathmandu", [345, 345]), ("Africa/Casablanca", [60, 60]), ("Australia/Lord_Howe", [660, 630]),
            ("Pacific/Kiritimati", [840, 840]), ("Etc/GMT+12", [-720, -720]),
        ]
    )
    func zone(name: String, minutes: [Int]) throws {
        let times = [1, 7].map { Timestamp(CivilTime(year: 2024, month: $0, day: 1)) }
        #expect(try Self.offsets(name, at: times) == minutes)
    }

    // The last second before the change, and the first one after it.
    @Test("is that at the given time", arguments: ZoneChange.all)
    func change(_ change: ZoneChange) throws {
        let minutes = [change.minutes.before, change.minutes.after].map { Int($0) }
        #expect(try Self.offsets(change.zone, at: [change.time + -1_000, change.time]) == minutes)
    }

    /// A `TZ` of GMT, whose daylight saving time of an hour begins at a time and lasts for about half a year.
    private static func zone(withSummerFrom start: Timestamp) -> String {
        let civil = start.civil
        let day = (start - Timestamp(CivilTime(year: civil.year, month: 1, day: 1))) / 86_400_000
        return "AAA0BBB-1,\(day)/\(civil.hour):\(civil.minute):\(civil.second),\((day + 180) % 365)/0"
    }

    @Test("follows a change while the process runs")
    func running() async throws {
        try await App.use { app in
            // Later than the start of a process on a busy machine.
            let change = Timestamp(milliseconds: (SystemTime().now().wall.milliseconds / 1_000 + 120) * 1_000)
            let running = try app.start("wait-later", zone: Self.zone(withSummerFrom: change))
            #expect(try running.line() == "ready\n")
            try running.goOn(later: 120_000)
            #expect(try await running.end() == App.End(signal: 0, status: 0, output: ""))
            let events = try await app.deliver()
            func offset(of name: String) throws -> Int64? {
                try #require(events.first { $0.name == name })["zone_offset"]?.integer
            }
            #expect(try offset(of: "before") == 0)
            #expect(try offset(of: "_app_end") == 3_600_000)
        }
    }
}
#endif
