import ClickstreamCore
import Glibc

/// One call of `tail`.
struct TailRun: Sendable {
    private let command: TailCommand
    private let reader: CollectorReader
    private let line: TailLine

    init(_ command: TailCommand, _ address: CollectorAddress) {
        self.command = command
        reader = CollectorReader(source: .collector(address), query: command.query)
        line = TailLine(
            format: command.format ?? (Console.isTerminal ? .human : .json),
            style: Style(isColoured: Console.usesColour),
            width: Console.columns
        )
    }

    func run() async throws {
        let limit = command.limit
        // The lines of the newest events, which take less memory than the events.
        var newest = NewestValues<[String]>(limit: limit)
        let position = try await reader.stored(last: limit) { event in
            guard limit > 0 else { return }
            let lines = line.lines(of: event)
            newest.append(lines, bytes: lines.reduce(64) { $0 + 16 + $1.utf8.count })
        }
        for lines in newest.values { try print(lines) }
        try ResultStream.standard.flush()
        if newest.isCut {
            let bytes = CollectorReader.maxHeldBytes / 1_048_576
            Console.note("shown are the newest \(bytes) MiB of events; use a smaller --limit or a filter")
        }
        guard command.follow else {
            if newest.values.isEmpty, limit > 0 { Console.note(try await reader.noMatch()) }
            return
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await follow(from: position) }
            group.addTask { try await Self.waitForReaderToLeave() }
            try await group.next()
            group.cancelAll()
        }
    }

    private func follow(from position: CollectorReader.Position) async throws {
        // A collector that was reset earlier sends a reset first, which is not reported.
        var hasBegun = !position.repeated.isEmpty
        try await reader.follow(from: position) { update in
            switch update {
            case .event(let event):
                hasBegun = true
                try print(line.lines(of: event))
            case .reset:
                if hasBegun { Console.note("the collector was reset or replaced") }
            case .request:
                hasBegun = true
            case .pause:
                try ResultStream.standard.flush()
            case .lost(let reason):
                Console.warn(
                    "lost \(reader.source.title): \(Console.escaped(reason)); retrying"
                )
            case .reconnected:
                Console.note("reconnected to the collector")
            }
            return true
        }
    }

    private func print(_ lines: [String]) throws {
        for line in lines { try ResultStream.standard.write(line: Array(line.utf8)) }
    }

    /// Ends without a message once the reader of standard output has closed it, even while no event arrives.
    private static func waitForReaderToLeave() async throws {
        while true {
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            if poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 { throw CommandFailure(.readerLeft, "") }
            try await SystemDependencies.time.sleep(milliseconds: 500)
        }
    }
}
