import Foundation
import GRDB

/// Records as the published SDK does: a dictionary becomes JSON with sorted keys, the text becomes a row, and after each
/// row the sizes of all rows are summed, to see whether the store is full.
///
/// `Published <folder> <scale>` prints a line of JSON for each figure. The published SDK does part of this on a task of
/// its own; here all of it is on the caller, because all of it has to be done for each event.
@main
struct Published {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 3, let scale = Double(words[2]) else {
            print("usage: Published <folder> <scale>")
            exit(64)
        }
        let rival = try Published(path: "\(words[1])/events.sqlite")
        try rival.measure(scale: scale)
    }

    /// The published SDK's cap.
    private static let maxBytes = 52_428_800
    private let database: DatabaseQueue

    init(path: String) throws {
        // The published SDK leaves SQLite as it is, which waits for the disk at each row. This is kinder: what it costs in
        // calls and in the sum, without the disk.
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            try database.execute(
                sql: "CREATE TABLE Event (id INTEGER PRIMARY KEY AUTOINCREMENT, event_json TEXT, event_size INTEGER)"
            )
        }
    }

    func record(number: Int) throws {
        let json = try JSONSerialization.data(withJSONObject: event(number: number), options: [.sortedKeys])
        let text = String(decoding: json, as: UTF8.self)
        try database.write { database in
            try database.execute(
                sql: "INSERT INTO Event (event_json, event_size) VALUES (?, ?)",
                arguments: [text, json.count]
            )
        }
        while try total() > Self.maxBytes {
            try database.write { try $0.execute(sql: "DELETE FROM Event WHERE id = (SELECT MIN(id) FROM Event)") }
        }
    }

    private func total() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT SUM(event_size) FROM Event") ?? 0 }
    }

    /// Puts rows there without the sum, to have a queue of some length.
    private func fill(_ count: Int) throws {
        try database.write { database in
            let text = String(decoding: try JSONSerialization.data(withJSONObject: event(number: 0)), as: UTF8.self)
            for _ in 0..<count {
                try database.execute(
                    sql: "INSERT INTO Event (event_json, event_size) VALUES (?, ?)",
                    arguments: [text, text.utf8.count]
                )
            }
        }
    }

    /// The manual's sample event.
    private func event(number: Int) -> [String: Any] {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        return [
            "event_type": "add_to_cart", "event_id": UUID().uuidString, "timestamp": now, "app_id": "sample",
            "app_package_name": "com.example.app", "app_title": "Example", "app_version": "1.0", "brand": "apple",
            "carrier": "CDMA", "country_code": "CN", "device_id": "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C",
            "device_unique_id": "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C", "locale": "zh_CN", "make": "apple",
            "model": "iPhone 14 Pro", "network_type": "Mobile", "os_version": "6.1", "platform": "Linux",
            "sdk_name": "aws-solution-clickstream-sdk", "sdk_version": "0.10.0", "system_language": "zh",
            "screen_height": 2_532, "screen_width": 1_170, "zone_offset": 28_800_000,
            "unique_id": "4CA1A8E4-2E0A-4D77-9F3C-1C0B3B7A0E5D",
            "user": [
                "_user_id": ["value": "13212", "set_timestamp": now],
                "_user_first_touch_timestamp": ["value": now, "set_timestamp": now],
                "_user_name": ["value": "carl", "set_timestamp": now],
                "_user_age": ["value": 32, "set_timestamp": now],
                "user_gender": ["value": "male", "set_timestamp": now],
            ] as [String: Any],
            "attributes": [
                "category": "shoes", "currency": "CNY", "event_category": "recommended", "price": 279.9,
                "count": number, "is_member": true, "product_name": "trail runner", "position": 4,
                "_session_id": "3B7A0E5D-20230905-131926703", "_session_start_timestamp": now,
                "_session_number": 1, "_session_duration": 1_000,
            ] as [String: Any],
        ]
    }

    // MARK: Measuring

    private func measure(scale: Double) throws {
        var points: [(x: Double, y: Double)] = []
        var held = 0
        for length in [1, 100, 500, 2_000, 5_000, 10_000, 20_000, 40_000] {
            if length > held {
                try fill(length - held)
                held = length
            }
            let calls = max(5, Int((length > 5_000 ? 20 : 200) * scale))
            var durations: [Double] = []
            for number in 0..<calls {
                let start = DispatchTime.now().uptimeNanoseconds
                try record(number: number)
                durations.append(Double(DispatchTime.now().uptimeNanoseconds - start))
            }
            held += calls
            let sorted = durations.sorted()
            points.append((Double(length), sorted[sorted.count / 2]))
            guard length == 2_000 else { continue }
            let rate = Double(calls) * 1e9 / durations.reduce(0, +)
            print(
                #"{"name": "published algorithm, \#(length) queued", "value": \#(rate), "unit": "events/s", "limit": null, "rival": null}"#
            )
            draw("record latency", "published, 2 000 queued", distribution(sorted))
        }
        draw("queue length", "published algorithm", points)
    }

    private func distribution(_ sorted: [Double]) -> [(x: Double, y: Double)] {
        let shares: [Double] = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99]
        let count = Double(sorted.count)
        var points: [(x: Double, y: Double)] = []
        for share in shares where share == 0 || (1 - share) * count >= 2 {
            points.append((share * 100, sorted[min(sorted.count - 1, Int(share * count))]))
        }
        return points
    }

    private func draw(_ picture: String, _ series: String, _ points: [(x: Double, y: Double)]) {
        let points = points.map { "[\($0.x), \($0.y)]" }.joined(separator: ", ")
        print(#"{"picture": "\#(picture)", "series": "\#(series)", "points": [\#(points)]}"#)
    }
}
