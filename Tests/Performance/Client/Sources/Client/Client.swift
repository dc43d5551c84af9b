import Dispatch
import Glibc
import Synchronization

/// Measures one subject in an empty folder, and prints a line of JSON for each figure.
@main
struct Client {
    static let usage = """
        usage: Client latency|saturated|sustained|queued|growth|memory|nowhere <folder> <scale>
               Client loopback|collector <folder> <scale> <endpoint> [<rounds>]
               Client fill|open|initSDK <folder> [<megabytes>]
               Client sink
               Client loop <folder> <what> <count>
        """

    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words == ["sink"] { return Sink.serve() }
        guard words.count >= 2 else {
            print(usage)
            exit(64)
        }
        let folder = words[1]
        let scale = words.count > 2 ? Double(words[2]) ?? 1 : 1
        let recording = Recording(folder: folder, scale: scale)
        let sending = Sending(folder: folder, scale: scale)
        switch words[0] {
        case "latency": try recording.latency()
        case "saturated": try recording.saturated()
        case "sustained": try wait { try await recording.sustained() }
        case "queued": try recording.queued()
        case "growth":
            try recording.growth()
            try recording.logins()
        case "memory": try recording.memory()
        case "nowhere": try wait { try await sending.nowhere() }
        case "loopback" where words.count > 3: try wait { try await sending.loopback(endpoint: words[3]) }
        case "collector" where words.count > 4:
            try wait { try await sending.collector(endpoint: words[3], rounds: Int(words[4]) ?? 10) }
        case "fill": try Starting(folder: folder).fill(megabytes: words.count > 2 ? Int(words[2]) ?? 50 : 50)
        case "open": try Starting(folder: folder).open()
        case "initSDK": try Starting(folder: folder).initSDK()
        case "loop" where words.count > 3: try Loop.run(words[2], Int(words[3]) ?? 0, folder)
        default:
            print(usage)
            exit(64)
        }
    }

    /// Waits for what is asynchronous. The rest of the program has one thread, which counters ask for.
    static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<(any Error)?>(nil)
        Task {
            do {
                try await body()
            } catch {
                failure.withLock { $0 = error }
            }
            done.signal()
        }
        done.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
