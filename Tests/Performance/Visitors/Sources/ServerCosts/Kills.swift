import ClickstreamCore
import ClickstreamServer
import Foundation

/// Rounds of `kill -9`: three children, one after the other, record under two threads and for a thousand visitors, and print each
/// event after `record` has returned. Each has a clock an hour before that of the last one. The parent delivers what they left,
/// and compares.
enum Kills {
    private static let visitors = 1_000
    private static let children = 3
    /// The number of the first event of a child for each visitor, multiplied by the number of the child.
    private static let firstNumber = 10_000_000

    static func run(rounds: Int) async throws {
        let folder = ServerCosts.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var (acknowledged, arrived) = (0, 0)
        for round in 0..<rounds {
            let printed = try (0..<children).flatMap { try kill(folder, round, child: $0) }
            let inbox = Inbox()
            let events = try ServerCosts.open(folder, transport: inbox)
            let report = await events.flush()
            events.terminate()
            let found = inbox.take()
            try check(printed, found, round)
            guard report.isComplete else { throw Failure(round, "\(report)") }
            acknowledged += printed.count
            arrived += found.count
        }
        print(
            "\(rounds) rounds: \(acknowledged) events acknowledged, \(arrived) arrived, none lost, doubled or out of order"
        )
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ round: Int, _ text: String) { description = "round \(round): \(text)" }
    }

    private static func check(_ printed: [Inbox.Event], _ found: [Inbox.Event], _ round: Int) throws {
        var last: [Int: Int] = [:]
        for event in found {
            guard event.number > last[event.visitor] ?? -1 else {
                throw Failure(round, "visitor \(event.visitor): \(event.number) after \(last[event.visitor] ?? -1)")
            }
            last[event.visitor] = event.number
        }
        let lost = Set(printed).subtracting(found)
        if let event = lost.first { throw Failure(round, "\(lost.count) lost, such as \(event)") }
    }

    /// Runs a child until some milliseconds after its first event, and kills it.
    /// - Returns: the events that it printed; at least one.
    private static func kill(_ folder: String, _ round: Int, child: Int) throws -> [Inbox.Event] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["child", folder, String(child)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = pipe.fileHandleForReading.availableData
        guard !text.isEmpty else { throw Failure(round, "child \(child) ended before its first event") }
        let pid = process.processIdentifier
        let killer = Thread {
            usleep(UInt32(round % 40 * 1_000))
            Foundation.kill(pid, SIGKILL)
        }
        killer.start()
        text += pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // The last line may be cut.
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .compactMap { line in
                let words = line.split(separator: " ").compactMap { Int($0) }
                return words.count == 2 ? Inbox.Event(visitor: words[0], number: words[1]) : nil
            }
    }

    static func child(folder: String, number child: Int) throws {
        let events = try ServerCosts.open(folder)
        _ = ServerCosts.onThreads(2) { thread in
            var counts = [Int](repeating: child * firstNumber, count: visitors)
            var step = 0
            while true {
                // Every other event is of ten visitors, who have several each.
                let index = step % 2 == 0 ? step / 2 % 10 : step / 2 % (visitors / 2)
                let visitor = index * 2 + thread
                let number = counts[visitor]
                var time = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
                time.milliseconds -= Int64(child) * 3_600_000
                events.record("view", ["n": number], for: Visitor(deviceID: "visitor-\(visitor)"), at: time)
                let line = Array("\(visitor) \(number)\n".utf8)
                line.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                counts[visitor] += 1
                step += 1
            }
        }
    }
}

/// Transport that accepts everything, and keeps visitor and number of each event.
final class Inbox: ClickstreamClient.Transport {
    struct Event: Hashable, Sendable {
        var visitor: Int
        var number: Int
    }

    private let state = NSLock()
    // Accessed under `state` alone.
    private nonisolated(unsafe) var events: [Event] = []

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        let array = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [[String: Any]] ?? []
        let found = array.compactMap { event -> Event? in
            guard let device = event["device_id"] as? String, let attributes = event["attributes"] as? [String: Any],
                let visitor = Int(device.dropFirst("visitor-".count)), let number = attributes["n"] as? Int
            else { return nil }
            return Event(visitor: visitor, number: number)
        }
        state.withLock { events += found }
        return UploadResponse(status: 200)
    }

    func take() -> [Event] {
        state.withLock {
            defer { events = [] }
            return events
        }
    }
}
