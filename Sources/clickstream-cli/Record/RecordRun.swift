#if Tools
import ClickstreamCore

/// One call of `record`: the client that the events go through, and what is said of them.
///
/// What a process has recorded can be sent by another only once its run folder is free. One that waits for input, or runs for
/// long, therefore releases it now and then; the session goes on, as it does from one call to the next. It goes on in the same
/// run folder, or, while another process has that, in one without events, so that all its events are delivered in order.
final class RecordRun {
    /// How long no line comes before the run folder is let go of, in milliseconds.
    private static let idleTime: Int64 = 1_000
    /// How long it is held at most, while lines come.
    private static let longestHold: Int64 = 10_000
    /// How often one event is recorded, when its store goes away each time.
    private static let mostTries = 3

    private let store: StoreOfApp
    private let account = RecordAccount()
    private let userID: String?
    private var client: ClickstreamClient?
    /// The run folder that was recorded to last.
    private var lastRun: Int?
    private let time = SystemTime()
    private var openedAt: Int64 = 0
    private var usedAt: Int64 = 0

    init(_ command: RecordCommand) throws(CommandFailure) {
        store = try command.store.place()
        userID = command.userID
    }

    /// Ends the client in order; nothing is recorded by it.
    func end() {
        letGo()
        account.sayEnd()
    }

    private func letGo() {
        if client?.isStoreGone == true { return leaveGone() }
        client?.terminate()
        client = nil
    }

    /// Somebody removed the folder, or moved it away: nothing more is written there.
    private func leaveGone() {
        client?.kill()
        client = nil
        Console.warn(
            "the store \(store.folder) was removed or moved away meanwhile: what was recorded there and not sent has "
                + "gone with it; recording goes on in a new one"
        )
    }

    private func open() throws(CommandFailure) -> ClickstreamClient {
        let now = time.now().steady
        usedAt = now
        if let client, now - openedAt < Self.longestHold { return client }
        letGo()
        let account = account
        let opened = try store.client(records: true, runAfter: lastRun) { account.take($0) }
        lastRun = opened.run
        openedAt = now
        client = opened
        return opened
    }

    /// Records one event, and prints the id of what was stored.
    func record(_ draft: EventDraft) throws {
        try record(draft, from: nil)
        if let reason = account.losses?.reason {
            throw CommandFailure(.inputOutput, "event \(draft.name ?? "") is not recorded: \(reason)")
        }
    }

    private func record(_ draft: EventDraft, from line: Int?) throws {
        for _ in 0..<Self.mostTries {
            let client = try open()
            account.begin(line)
            let userID = userID
            client.perform { $0.record(draft.name ?? "", draft.attributes, draft.items, as: userID, at: $1) }
            guard let id = account.takeStored() else { return }
            // Its id is a promise: what went to a folder that is not there any more is recorded once more.
            guard !client.isStoreGone else {
                leaveGone()
                continue
            }
            return try Console.print(id.description)
        }
        throw CommandFailure(
            .inputOutput,
            "event \(draft.name ?? "") is not recorded: the store \(store.folder) is removed again and again; find out by whom"
        )
    }

    // MARK: Lines

    /// Records every line of standard input; a bad one is passed over and said so.
    func recordLines() throws -> ExitStatus {
        let reader = try LineReader("-")
        reader.isWaiting = { [self] in
            if client != nil, time.now().steady - usedAt >= Self.idleTime { letGo() }
        }
        // A store that cannot be used is no reason to read anything.
        _ = try open()
        var complaints = Complaints(what: "lines of \(reader.name) are not recorded")
        while let line = try reader.next() {
            switch Self.read(line, of: reader.name) {
            case .failure(let problems):
                complaints.add(problems.sentences)
            case .success(let draft):
                account.noteOtherKeys(draft.otherKeys + (draft.user.isEmpty ? [] : ["user"]), line: line.number)
                try record(draft, from: line.number)
            }
        }
        complaints.sayEnd("correct them, and send them again")
        if let losses = account.losses {
            throw CommandFailure(
                .inputOutput,
                "\(losses.events) events are not recorded, the last because: \(losses.reason); those whose ids were "
                    + "printed are kept"
            )
        }
        return complaints.isEmpty ? .done : .badData
    }

    /// Why a line is no event.
    private struct Problems: Error {
        var sentences: [String]
    }

    private static func read(_ line: LineReader.Line, of input: String) -> Result<EventDraft, Problems> {
        func problem(_ offset: Int, _ text: String, in bytes: [UInt8] = []) -> String {
            let column = SourcePosition(of: offset, in: bytes).column
            return "\(input):\(line.number):\(column): \(text) (line not recorded)"
        }
        guard let bytes = line.bytes else {
            return .failure(
                Problems(sentences: [problem(0, "the line is longer than \(LineReader.longestLine) bytes")])
            )
        }
        do throws(JSONError) {
            let (draft, mistakes) = EventDraft.read(try JSONReader.parse(bytes))
            guard mistakes.isEmpty else {
                return .failure(Problems(sentences: mistakes.map { problem($0.offset, $0.message, in: bytes) }))
            }
            return .success(draft)
        } catch {
            return .failure(Problems(sentences: [problem(error.offset, "not JSON: \(error.reason)", in: bytes)]))
        }
    }
}
#endif
