import ClickstreamCore
import ClickstreamJudges
import ClickstreamServer

/// One call of `record`: the client for the events, and the messages about them.
///
/// Other processes can send the events only after the run folder is released. A run that waits for input, or lasts
/// long, therefore releases the folder at intervals; the session continues, as between two calls. Recording continues
/// in the same run folder, or, while another process holds that, in an empty one, so that all events are delivered in
/// order.
final class RecordRun {
    /// Time without a line after which the run folder is released, in milliseconds.
    private static let idleTime: Int64 = 1_000
    /// Longest time that the run folder is held while lines arrive, in milliseconds.
    private static let longestHold: Int64 = 10_000
    /// Number of attempts to record one event while its store keeps being removed.
    private static let maxTries = 3

    private let store: StoreOfApp
    private let account = RecordAccount()
    private let userID: String?
    private var client: ClickstreamClient?
    /// The run folder recorded to last.
    private var lastRun: Int?
    private let time = SystemDependencies.time
    private var openedAt: Int64 = 0
    private var usedAt: Int64 = 0

    init(_ command: RecordCommand) throws(CommandFailure) {
        store = try command.store.location()
        userID = command.userID
    }

    /// Terminates the client without recording an event.
    func end() {
        release()
        account.printTotals()
    }

    private func release() {
        if client?.isStoreGone == true { return abandon() }
        client?.terminate()
        client = nil
    }

    /// The folder was removed or moved: nothing more is written to it.
    private func abandon() {
        client?.kill()
        client = nil
        Console.warn(
            "the store \(store.folder) was removed or moved: its unsent events are gone; recording continues in a new "
                + "store"
        )
    }

    private func open() throws(CommandFailure) -> ClickstreamClient {
        let now = time.now().steady
        usedAt = now
        if let client, now - openedAt < Self.longestHold { return client }
        release()
        let account = account
        let opened = try store.client(as: .recording(runAfter: lastRun)) { account.take($0) }
        lastRun = opened.run
        openedAt = now
        client = opened
        return opened
    }

    /// Records one event, and prints its id once it is stored.
    func record(_ draft: EventInput) throws {
        try record(draft, for: nil, from: nil)
        if let reason = account.losses?.reason {
            throw CommandFailure(.inputOutput, "event \(draft.name ?? "") not recorded: \(reason)")
        }
    }

    private func record(_ draft: EventInput, for visitor: Visitor?, from line: Int?) throws {
        for _ in 0..<Self.maxTries {
            let client = try open()
            account.begin(line)
            let name = draft.name ?? ""
            if let visitor {
                client.withAccess { $0.record(name, draft.attributes, draft.items, for: visitor, at: $1) }
            } else {
                client.record(DraftEvent(name, attributes: draft.attributes, items: draft.items), as: userID)
            }
            guard let id = account.takeStored() else { return }
            // A printed id promises a stored event: an event written to a removed folder is recorded again.
            guard !client.isStoreGone else {
                abandon()
                continue
            }
            return try Console.print(id.description)
        }
        throw CommandFailure(
            .inputOutput,
            "event \(draft.name ?? "") not recorded: the store \(store.folder) is removed repeatedly; find the process that removes it"
        )
    }

    // MARK: Lines

    /// Records every line of standard input; an invalid one is reported and skipped.
    func recordLines() throws -> ExitStatus {
        let reader = try LineReader("-")
        reader.isWaiting = { [self] in
            if client != nil, time.now().steady - usedAt >= Self.idleTime { release() }
        }
        // If the store cannot be used, no input is read.
        _ = try open()
        var lineErrors = LineErrors(of: reader.name, outcome: "not recorded")
        while let line = try reader.next() {
            switch Self.read(line, of: reader.name) {
            case .failure(let problems):
                lineErrors.add(problems.sentences)
            case .success(let (draft, visitor)):
                account.noteOtherKeys(draft.otherKeys + (draft.user.isEmpty ? [] : ["user"]), line: line.number)
                try record(draft, for: visitor, from: line.number)
            }
        }
        lineErrors.printTotal("correct and record them again")
        if let losses = account.losses {
            throw CommandFailure(
                .inputOutput,
                "\(Plural.events(losses.events)) not recorded; last cause: \(losses.reason). Events whose ids were printed "
                    + "are stored"
            )
        }
        return lineErrors.isEmpty ? .done : .badData
    }

    /// Reasons why a line is not an event.
    private struct Problems: Error {
        var sentences: [String]
    }

    /// The member of a line with the visitor that its event belongs to.
    private static let visitorKey = "visitor"

    private static func read(_ line: LineReader.Line, of input: String) -> Result<(EventInput, Visitor?), Problems> {
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
            let json = try JSONReader.parse(bytes)
            let (read, diagnostics, unlisted) = EventInput.read(json)
            var draft = read
            draft.otherKeys.removeAll { $0 == Self.visitorKey }
            guard diagnostics.isEmpty else {
                var sentences = diagnostics.map { problem($0.offset, $0.message, in: bytes) }
                if unlisted > 0 { sentences.append(problem(0, Plural.count(unlisted, "further mistake"))) }
                return .failure(Problems(sentences: sentences))
            }
            guard let member = json[Self.visitorKey], !member.isNull else { return .success((draft, nil)) }
            switch Result(catching: { () throws(VisitorInput.ParseError) in try VisitorInput.read(member) }) {
            case .success(let visitor): return .success((draft, visitor))
            case .failure(let parseError):
                return .failure(Problems(sentences: [problem(parseError.offset, parseError.message, in: bytes)]))
            }
        } catch {
            return .failure(Problems(sentences: [problem(error.offset, "not JSON: \(error.reason)", in: bytes)]))
        }
    }
}
