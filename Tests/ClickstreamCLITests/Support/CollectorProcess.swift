#if Collector
import ClickstreamCollector
import ClickstreamCore
import Foundation

/// The command `collect` as a process of its own that can be killed and started again with what it had.
final class CollectorProcess {
    private let workplace: Workplace
    private var running: Running
    private(set) var port: Int

    /// The file with what came, in the workplace.
    static let store = "collected.sqlite"

    var endpoint: String { "http://127.0.0.1:\(port)/collect" }

    /// Starts it, and waits until it listens.
    /// - Parameter options: such as `--fail 503:0.3`.
    init(_ workplace: Workplace, _ options: [String] = []) async throws {
        self.workplace = workplace
        (running, port) = try await Self.start(workplace, port: 0, options)
    }

    /// Starts it again where it was, after ``kill()``.
    func restart(_ options: [String] = []) async throws {
        (running, port) = try await Self.start(workplace, port: port, options)
    }

    /// Ends it as `kill -9` does.
    func kill() async throws {
        running.send(SIGKILL)
        _ = try await running.finish()
    }

    private struct Announcement: Decodable {
        var port: Int
    }

    private struct NotStarted: Error {
        var errors: String
    }

    private static func start(_ workplace: Workplace, port: Int, _ options: [String]) async throws -> (Running, Int) {
        let name = "collector-\(UUID().uuidString).out"
        let running = try workplace.start(
            ["collect", "--port", "\(port)", "--store", store] + options,
            output: workplace.path(name)
        )
        // No file means no output yet.
        let isUp = try await running.wait { (try? workplace.text(of: name))?.contains("\n") == true }
        guard isUp else {
            running.send(SIGKILL)
            throw NotStarted(errors: try await running.finish().errors)
        }
        let line = try workplace.text(of: name).prefix { $0 != "\n" }
        return (running, try JSONDecoder().decode(Announcement.self, from: Data(line.utf8)).port)
    }
}

extension Workplace {
    /// Every event that a collector which has ended had stored, in the order of arrival, and its duplicates' number.
    func collectedEvents() async throws -> (events: [JSONValue], duplicates: Int) {
        let collector = try await Collector.start(CollectorConfiguration(storePath: path(CollectorProcess.store)))
        var events: [JSONValue] = []
        var cursor: Int64?
        repeat {
            let page = try await collector.events(EventFilter(limit: 10_000, cursor: cursor))
            events += try page.events.map { try JSONReader.parse(Array($0.json.utf8)) }
            cursor = page.next
        } while cursor != nil
        let duplicates = try await collector.summary().duplicates
        await collector.stop()
        return (events, duplicates)
    }
}
#endif
