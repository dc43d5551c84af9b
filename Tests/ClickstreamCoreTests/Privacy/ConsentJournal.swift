/// Steps of several processes on one store, in the order of a journal that all append to: see `ConsentProcess` of `StoreProcess`.
///
/// A line that begins an action precedes it, and one that ends it follows it.
struct ConsentJournal {
    private struct Entry {
        var word: Substring
        var process: Substring
        /// Events of a writer: `p1:4`.
        var events: [Substring]
    }

    /// An action of a process, between two entries.
    private struct Action {
        var process: Substring
        var start: Int
        /// `nil` if a kill has interrupted it, and nothing shows when.
        var end: Int?
        /// False if the process was killed in it.
        var isComplete: Bool
    }

    private let entries: [Entry]
    private let launches: [Substring: Int]
    /// The index at which each acknowledged event was recorded.
    private let recorded: [Substring: Int]

    /// - Parameter text: one entry a line, which ends with ` .` unless a kill has cut it.
    init(_ text: String) {
        let entries: [Entry] = text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 3, words.last == "." else { return nil }
            let events = words.count > 3 ? words[2].split(separator: ",") : []
            return Entry(word: words[0], process: words[1], events: events)
        }
        var (launches, recorded) = ([Substring: Int](), [Substring: Int]())
        for (index, entry) in entries.enumerated() {
            if entry.word == "launching" { launches[entry.process] = index }
            if entry.word == "recorded" { for event in entry.events { recorded[event] = index } }
        }
        (self.entries, self.launches, self.recorded) = (entries, launches, recorded)
    }

    var acknowledgedEvents: Int { recorded.count }
    var withdrawals: Int { entries.count { $0.word == "withdrawing" } }
    var requests: Int { entries.count { $0.word == "request" } }

    /// The actions that two words begin and end.
    private func actions(_ first: String, _ last: String) -> [Action] {
        var found: [Action] = []
        var open: [Substring: Int] = [:]
        for (index, entry) in entries.enumerated() {
            if entry.word == first { open[entry.process] = index }
            if entry.word == last || entry.word == "killed", let start = open.removeValue(forKey: entry.process) {
                found.append(
                    Action(process: entry.process, start: start, end: index, isComplete: entry.word == last)
                )
            }
        }
        return found + open.map { Action(process: $0.key, start: $0.value, end: nil, isComplete: false) }
    }

    // MARK: Findings

    /// The requests with events of before a withdrawal that begin after it has returned: more than the one that a process may
    /// have begun meanwhile, or any of a process that was launched later.
    var lateRequests: [String] {
        var found: [String] = []
        for withdrawal in actions("withdrawing", "withdrawn") where withdrawal.isComplete {
            guard let end = withdrawal.end else { continue }
            var counts: [Substring: Int] = [:]
            for entry in entries[end...] where entry.word == "request" {
                let before = entry.events.filter { recorded[$0].map { $0 < withdrawal.start } ?? false }
                guard !before.isEmpty else { continue }
                counts[entry.process, default: 0] += 1
                let isLaunchedLater = launches[entry.process].map { $0 > end } ?? true
                if isLaunchedLater || counts[entry.process, default: 0] > 1 {
                    found.append("\(entry.process) after \(withdrawal.process): \(before.joined(separator: ","))")
                }
            }
        }
        return found
    }

    /// The events that arrive before an earlier one of their writer. Each counts where it arrives first.
    var misplacedEvents: [Substring] {
        var last: [Substring: Int] = [:]
        var arrived: Set<Substring> = []
        var found: [Substring] = []
        for event in entries.lazy.filter({ $0.word == "request" }).flatMap(\.events)
        where arrived.insert(event).inserted {
            let parts = event.split(separator: ":")
            guard parts.count == 2, let number = Int(parts[1]) else { continue }
            if let before = last[parts[0]], before > number { found.append(event) }
            last[parts[0]] = max(last[parts[0]] ?? number, number)
        }
        return found
    }

    /// The acknowledged events that no withdrawal may have removed: recorded after a grant that followed the last one, by a process
    /// that was launched, flushed or decided since.
    var owedEvents: Set<Substring> {
        var lastEnd = -1
        for withdrawal in actions("withdrawing", "withdrawn") {
            guard let end = withdrawal.end else { return [] }
            lastEnd = max(lastEnd, end)
        }
        let grants = actions("granting", "granted").filter { $0.isComplete && $0.start > lastEnd }
        guard let granted = grants.compactMap(\.end).min() else { return [] }
        // The index from which each process has applied that grant.
        var current = launches.filter { $0.value > granted }
        for flush in actions("flushing", "flushed") where flush.isComplete && flush.start > granted {
            if let end = flush.end { current[flush.process] = min(current[flush.process] ?? end, end) }
        }
        for grant in grants {
            if let end = grant.end { current[grant.process] = min(current[grant.process] ?? end, end) }
        }
        return Set(
            recorded.filter { event, index in
                event.split(separator: ":").first.flatMap { current[$0] }.map { index > $0 } ?? false
            }.keys
        )
    }

    /// The ``owedEvents`` that are in no request.
    var lostEvents: Set<Substring> {
        owedEvents.subtracting(entries.lazy.filter { $0.word == "request" }.flatMap(\.events))
    }
}
