#if Tools
import ClickstreamCore

/// One call of `record`: the client that the events go through, and what is said of them.
struct RecordRun {
    private let client: ClickstreamClient
    private let account = RecordAccount()
    private let userID: String?

    init(_ command: RecordCommand) throws(CommandFailure) {
        let account = account
        client = try command.store.place().client(records: true) { account.take($0) }
        userID = command.userID
    }

    /// Ends the client in order; nothing is recorded by it.
    func end() {
        client.terminate()
        account.sayEnd()
    }

    /// Records one event, and prints the id of what was stored.
    func record(_ draft: EventDraft) throws {
        try record(draft, from: nil)
        if let reason = account.lastLoss {
            throw CommandFailure(.inputOutput, "event \(draft.name ?? "") is not recorded: \(reason)")
        }
    }

    private func record(_ draft: EventDraft, from line: Int?) throws {
        account.begin(line)
        let userID = userID
        client.perform { $0.record(draft.name ?? "", draft.attributes, draft.items, as: userID, at: $1) }
        guard let id = account.takeStored() else { return }
        try Console.print(id.description)
    }

    // MARK: Lines

    /// Records every line of standard input; a bad one is passed over and said so.
    func recordLines() throws -> ExitStatus {
        let reader = try LineReader("-")
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
            return "\(input):\(line.number):\(column): \(text); the line is not recorded"
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

/// Complaints about many lines: the first hundred in full, then their number.
struct Complaints {
    private static let shown = 100

    /// What all of them come to, after their number.
    private let what: String
    private var lines = 0

    init(what: String) {
        self.what = what
    }

    var isEmpty: Bool { lines == 0 }

    /// Says what is wrong with one line.
    mutating func add(_ sentences: [String]) {
        lines += 1
        guard lines <= Self.shown else { return }
        for sentence in sentences { Console.say("error: \(sentence)") }
        if lines == Self.shown { Console.say("error: further such lines are counted, not shown") }
    }

    /// Says how many there were, when there were any.
    func sayEnd(_ advice: String) {
        if lines > 0 { Console.say("error: \(lines) \(what): \(advice)") }
    }
}
#endif
