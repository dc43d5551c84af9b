#if Collector
import ClickstreamCore
import Foundation
import GRDB
import Testing

@testable import ClickstreamCollector

/// The last millisecond of the year 9999.
private let last: Int64 = 253_402_300_799_999

/// Wall clocks of machines without a battery, or with a wrong date.
@Suite("Clocks that cannot be stored", .timeLimit(.minutes(10)))
struct StorableTimeTests {
    /// Queries over all requests, and what uses the clock itself.
    private static let targets = [
        "/api/events", "/api/requests", "/api/sessions", "/api/sessions/s1", "/api/captured", "/api/captured/requests",
        "/api/summary", "/micro/all", "/micro/good", "/micro/bad", "/metrics", "/ping", "/health",
    ]

    @Test(
        "are limited to the years 1970 to 9999, and everything that was received can be read",
        arguments: [(-1, 0), (.min, 0), (0, 0), (last, last), (last + 1, last), (.max, last)] as [(Int64, Int64)]
    )
    func reception(wall: Int64, stored: Int64) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path, archive: folder + "/archive")
            for run in 1...2 {
                let collector = try await withCollector(configuration, time: FixedTime(wall: wall)) { collector in
                    try await Self.send(to: collector, run)
                    try await Self.checkTimes(of: collector, stored, requests: run)
                    return collector
                }
                #expect(await collector.archiveStatus()?.behind == 0)
            }
        }
    }

    @Test(
        "of an earlier version, which stored them, are read as the nearest time",
        arguments: [(-1, 0), (last + 1, last)] as [(Int64, Int64)]
    )
    func stored(time: Int64, nearest: Int64) async throws {
        try await withFolder { folder in
            let path = folder + "/store.sqlite"
            let configuration = CollectorConfiguration(storePath: path, archive: folder + "/archive")
            try await withCollector(CollectorConfiguration(storePath: path)) { try await Self.send(to: $0, 1) }
            try withDatabase(at: path) { database in
                for table in ["requests", "captured_requests"] {
                    try database.execute(sql: "UPDATE \(table) SET received_at = ?", arguments: [time])
                }
            }
            let collector = try await withCollector(configuration) { collector in
                try await Self.checkTimes(of: collector, nearest, requests: 1)
                return collector
            }
            #expect(await collector.archiveStatus()?.behind == 0)
        }
    }

    private static func send(to collector: Collector, _ run: Int) async throws {
        #expect(try await collector.post("[\(event("\(run)", session: "s1"))]").status == 200)
        #expect(try await collector.post("[\(click(run))]", "/pulse").status == 200)
    }

    private static func checkTimes(of collector: Collector, _ time: Int64, requests: Int) async throws {
        let times = Array(repeating: Timestamp(milliseconds: time), count: requests)
        #expect(try await collector.events().events.map(\.receivedAt) == times)
        #expect(try await collector.requests().requests.map(\.receivedAt) == times)
        #expect(try await collector.captured().events.map(\.event.receivedAt) == times)
        for target in targets {
            let response = try await collector.get(target)
            #expect(response.status == 200, "\(target)")
            if target != "/metrics" { #expect(throws: Never.self, "\(target)") { try JSONReader.parse(response.body) } }
        }
    }
}
#endif
