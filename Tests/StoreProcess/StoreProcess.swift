import ClickstreamCore
import ClickstreamJudges

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// App to be killed: launches on a store, and makes an app's calls as fast as it can, until it is killed.
///
/// `StoreProcess FOLDER CLOCK SEED INBOX`: its clocks start `CLOCK` milliseconds after 2024, and jump at random. It
/// prints a line for each recorded event once that would survive: id, name, session number and session id. What it
/// delivers it appends, in the same form, to the file `INBOX`, as a server would store it.
///
/// `StoreProcess FOLDER CLOCK SEED INBOX withdraw` records events in two formats, prints `ready`, withdraws the consent, and
/// prints `withdrawn`.
///
/// `StoreProcess FOLDER STEPS SEED JOURNAL consent` withdraws consent in its first steps: see ``ConsentProcess``.
@main
struct StoreProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard 5...6 ~= arguments.count, let clock = Int64(arguments[2]), let seed = UInt64(arguments[3]) else {
            return print("StoreProcess FOLDER CLOCK SEED INBOX")
        }
        if arguments.count == 6, arguments[5] == "consent" {
            let (storage, journal) = (arguments[1], arguments[4])
            return try await ConsentProcess.run(storage: storage, withdrawingSteps: clock, seed: seed, journal: journal)
        }
        let time = JumpingTime(start: clock)
        let inbox = try InboxTransport(path: arguments[4])
        var configuration = ClickstreamClient.Configuration(appID: "shop", endpoint: "http://inbox.test/collect")
        configuration.sessionTimeout = .seconds(60)
        configuration.sendInterval = .zero
        configuration.maxBatchBytes = 20_000
        // Many segments: a withdrawal takes many file operations.
        if arguments.count == 6 { configuration.maxStoreBytes = 1_000_000 }
        let client = try ClickstreamClient(
            configuration: configuration,
            device: ClickstreamClient.Device(
                platform: "Linux",
                app: ClickstreamClient.Device.App(version: "1.\(seed % 3)")
            ),
            storage: arguments[1],
            dependencies: ClickstreamClient.Dependencies(
                time: time,
                ids: SystemIDs(),
                files: LocalFileSystem(),
                transport: inbox
            ),
            observe: { notice in
                if case .recorded(_, _, let line, _) = notice { write(Self.summary(line), to: STDOUT_FILENO) }
                if case .warning(let warning) = notice { write(Array("warning \(warning)\n".utf8), to: STDOUT_FILENO) }
            }
        )
        if arguments.count == 6 { return Withdrawal.run(client, events: 100 + Int(seed % 400)) }
        var dice = Dice(seed: seed)
        while true {
            switch dice.roll(12) {
            case 0: client.foreground()
            case 1: client.background()
            case 2: client.screen(name: "S\(dice.roll(3))")
            case 3: client.setUserID("user\(dice.roll(4))")
            case 4: time.jump(by: Int64(dice.roll(2) == 0 ? dice.roll(60_000) : 60_000 + dice.roll(60_000)))
            case 5: _ = await client.flush()
            default: client.record("tap", attributes: ["number": Int(dice.roll(1_000))])
            }
        }
    }

    /// Line of an event: id, name, session number, session id.
    static func summary(_ json: [UInt8]) -> [UInt8] {
        guard let event = try? JSONReader.parse(json) else { return [] }  // the library writes no other
        let words = [
            event["event_id"]?.string, event["event_type"]?.string,
            event["attributes"]?["_session_number"]?.integer.map { String($0) },
            event["attributes"]?["_session_id"]?.string,
        ]
        return Array((words.map { $0 ?? "-" }.joined(separator: " ") + "\n").utf8)
    }
}

private func write(_ bytes: [UInt8], to descriptor: Int32) {
    bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
}

/// Clock that stays at its time until it is set.
private final class JumpingTime: TimeSource {
    private let milliseconds: Locked<Int64>
    private let system = SystemTime()

    init(start: Int64) {
        milliseconds = Locked(start)
    }

    func jump(by count: Int64) {
        milliseconds.withLock { $0 += count }
    }

    func now() -> Moment {
        let passed = milliseconds.withLock { $0 }
        return Moment(wall: Timestamp(milliseconds: 1_704_067_200_000 + passed), steady: passed)
    }

    func after(milliseconds delay: Int64, _ work: @escaping @Sendable () async -> Void) -> any ScheduledWork {
        system.after(milliseconds: delay, work)
    }

    func sleep(milliseconds delay: Int64) async throws {
        try await system.sleep(milliseconds: delay)
    }
}

/// A server in a file: a request is stored by one append, and one in five gets no answer afterwards.
private final class InboxTransport: ClickstreamClient.Transport {
    private let file: any AppendableFile
    private let count = Locked(0)

    init(path: String) throws {
        file = try LocalFileSystem().open(path)
    }

    func send(_ request: UploadRequest) async throws(TransportError) -> UploadResponse {
        guard case .events(let events) = ReceivedUpload(target: request.url, body: request.body).content else {
            throw .cut("a body that cannot be read")
        }
        let lines = events.lines.flatMap { StoreProcess.summary(Array($0)) }
        var failure: FileError?
        lines.withUnsafeBytes { bytes in
            do throws(FileError) {
                try file.append(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw .cut("\(failure)") }
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number % 5 == 0 { throw .timedOut }
        return UploadResponse(status: 200)
    }
}
