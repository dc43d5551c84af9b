/// A flush that is under way.
struct RunningFlush: Sendable {
    let task: Task<Void, Never>
    let account: FlushAccount
}

/// Progress of a flush: written by its task, read by callers that leave before its end.
@dynamicMemberLookup
final class FlushAccount: Sendable {
    private struct State: Sendable {
        var report = FlushReport()
        /// The part of the report that a caller has got whose deadline passed.
        var told = FlushReport()
    }

    /// For the caller that began the flush.
    let answer = FirstAnswer()
    private let state = Locked(State())

    var report: FlushReport { state.withLock { $0.report } }

    /// True if nothing but its caller's deadline ended the flush: another caller has another deadline, or none.
    var mayGoOn: Bool {
        let report = report
        return report.isComplete || report.lastError?.isDeadline == true
    }

    /// The part of the report not yet returned to a caller whose deadline passed.
    var untold: FlushReport { state.withLock { $0.report.since($0.told) } }

    /// The report for a caller that leaves before the end.
    func tell() -> FlushReport {
        state.withLock { state in
            state.told = state.report
            return state.told
        }
    }

    subscript<Value>(dynamicMember member: KeyPath<FlushReport, Value>) -> Value {
        report[keyPath: member]
    }

    /// To be set by the flush itself only.
    subscript<Value: Sendable>(dynamicMember member: any WritableKeyPath<FlushReport, Value> & Sendable) -> Value {
        get { report[keyPath: member] }
        set { state.withLock { $0.report[keyPath: member] = newValue } }
    }
}

/// The end of a wait for a flush.
enum FlushAnswer: Sendable {
    case ended
    case deadline
}

/// A value that two tasks may give; the first one counts.
final class FirstAnswer: Sendable {
    private struct State: Sendable {
        var answer: FlushAnswer?
        var asker: CheckedContinuation<FlushAnswer, Never>?
    }

    private let state = Locked(State())

    /// To be awaited by one task.
    var value: FlushAnswer {
        get async {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state in
                    if state.answer == nil { state.asker = continuation }
                    return state.answer
                }
                if let answer { continuation.resume(returning: answer) }
            }
        }
    }

    func give(_ answer: FlushAnswer) {
        let asker = state.withLock { state in
            defer { state.asker = nil }
            state.answer = state.answer ?? answer
            return state.asker
        }
        asker?.resume(returning: answer)
    }
}
