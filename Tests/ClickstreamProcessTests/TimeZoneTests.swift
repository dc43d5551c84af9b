#if Tools && os(Linux)
import ClickstreamCore
import Foundation
import TestSupport
import Testing

/// Offsets of real processes, each with a `TZ` of its own.
@Suite("Offset from GMT of a process")
struct TimeZoneTests {
    /// The offsets in minutes that a process with that `TZ` has at the given times.
    private static func offsets(_ zone: String, at times: [CivilTime]) throws -> [Int] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = TestProgram.url("CrashFixture")
        process.arguments = ["zone"] + times.map { "\(Timestamp($0).milliseconds)" }
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
        let times = [CivilTime(year: 2024, month: 1, day: 1), CivilTime(year: 2024, month: 7, day: 1)]
        #expect(try Self.offsets(name, at: times) == minutes)
    }

    @Test(
        "is that at the given time",
        arguments: [
            // The last second before the change, and the first one after it.
            ("America/New_York", CivilTime(year: 2026, month: 3, day: 8, hour: 7), [-300, -240]),
            ("America/New_York", CivilTime(year: 2026, month: 11, day: 1, hour: 6), [-240, -300]),
            ("Australia/Lord_Howe", CivilTime(year: 2026, month: 4, day: 4, hour: 15), [660, 630]),
            // Ramadan, without daylight saving time.
            ("Africa/Casablanca", CivilTime(year: 2024, month: 3, day: 10, hour: 2), [60, 0]),
            ("Africa/Casablanca", CivilTime(year: 2024, month: 4, day: 14, hour: 2), [0, 60]),
            // Across the date line.
            ("Pacific/Apia", CivilTime(year: 2011, month: 12, day: 30, hour: 10), [-600, 840]),
        ]
    )
    func change(zone: String, time: CivilTime, minutes: [Int]) throws {
        let before = (Timestamp(time) + -1_000).civil
        #expect(try Self.offsets(zone, at: [before, time]) == minutes)
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
            let time = SystemTime()
            // Later than the start of a process on a busy machine.
            let change = Timestamp(milliseconds: (time.now().wall.milliseconds / 1_000 + 6) * 1_000)
            let running = try app.start("wait", zone: Self.zone(withSummerFrom: change))
            #expect(try running.line() == "ready\n")
            try await time.sleep(milliseconds: max(0, change - time.now().wall) + 100)
            try running.goOn()
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
