import ClickstreamCore
import ClickstreamJudges

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// App that records, flushes, withdraws consent and gives it again in turns, until it is killed.
///
/// It notes each step in a journal that several processes append to. A line that begins an action precedes it, and a line that ends
/// one follows it, so the order of the lines is one in which the actions happened.
enum ConsentProcess {
    /// - Parameter withdrawingSteps: the number of steps after which the process withdraws no more.
    static func run(storage: String, withdrawingSteps: Int64, seed: UInt64, journal path: String) async throws {
        let name = "p\(seed)"
        guard let journal = ConsentJournal(path: path) else { return print("\(path) cannot be opened") }
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://inbox.test/collect")
        configuration.sendInterval = .zero
        // A queue takes many requests.
        configuration.maxBatchBytes = 8_000
        configuration.compressesEvents = false
        journal.note("launching \(name)")
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(platform: "Linux", app: ClickstreamClient.Device.App(version: "1.0")),
            storage: storage,
            dependencies: ClickstreamClient.Dependencies(
                time: SystemTime(),
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: JournalTransport(journal, name)
            )
        )
        var dice = Dice(seed: seed)
        var number = 0
        var step: Int64 = 0
        while true {
            step += 1
            usleep(500)
            let isDenied = client.consent(for: .analytics) == .denied
            switch dice.roll(60) {
            case 0 where step < withdrawingSteps && !isDenied:
                journal.note("withdrawing \(name)")
                client.setConsent(.denied, for: .analytics)
                journal.note("withdrawn \(name)")
            case 1...5 where isDenied:
                journal.note("granting \(name)")
                client.setConsent(.granted, for: .analytics)
                journal.note("granted \(name)")
            case 6...9:
                journal.note("flushing \(name)")
                _ = await client.flush()
                journal.note("flushed \(name)")
            default:
                // While consent is denied, the event is dropped.
                client.record("tap", attributes: ["writer": name, "number": number])
                if !isDenied, client.consent(for: .analytics) != .denied {
                    journal.note("recorded \(name) \(name):\(number)")
                }
                number += 1
            }
        }
    }
}

/// File of lines that several processes append to. Each is one `write` that begins with a line feed and ends with ` .`, so that one
/// that a kill has cut is recognized, and the next is not joined with it. Thread-safe.
private final class ConsentJournal: Sendable {
    private let descriptor: Int32

    init?(path: String) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        if descriptor < 0 { return nil }
    }

    func note(_ text: String) {
        let bytes = Array("\n\(text) .".utf8)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { fatalError("the journal cannot be written") }
    }
}

/// A server whose requests are lines of a journal: `request p1 p1:4,p1:5`. It answers after some milliseconds, and one in twenty
/// never.
private final class JournalTransport: ClickstreamClient.Transport {
    private let journal: ConsentJournal
    private let name: String
    private let count = Locked(0)

    init(_ journal: ConsentJournal, _ name: String) {
        (self.journal, self.name) = (journal, name)
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard case .events(let events) = ReceivedUpload(target: request.url, body: request.body).content else {
            throw .cut("a body that cannot be read")
        }
        let taps = events.lines.compactMap { Self.tap(Array($0)) }
        journal.note("request \(name) \(taps.joined(separator: ","))")
        let number = count.withLock { count in
            count += 1
            return count
        }
        do {
            try await SystemTime().sleep(milliseconds: Int64(number % 4))
        } catch {
            throw .cancelled
        }
        if number % 20 == 0 { throw .timedOut }
        return UploadResponse(status: 200)
    }

    /// Writer and number of an event of the process's loop; `nil` for any other.
    private static func tap(_ json: [UInt8]) -> String? {
        guard let event = try? JSONReader.parse(json),  // the library writes no other
            event["event_type"]?.string == "tap", let writer = event["attributes"]?["writer"]?.string,
            let number = event["attributes"]?["number"]?.integer
        else { return nil }
        return "\(writer):\(number)"
    }
}
