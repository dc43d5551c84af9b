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
        /// The part of the report returned to callers whose deadline passed.
        var returned = FlushReport()
    }

    /// End of the wait of the caller that started the flush.
    let answer = FirstAnswer()
    private let state = Locked(State())

    var report: FlushReport { state.withLock { $0.report } }

    /// True unless a failure ended the flush. Its caller's deadline is none: another caller has another deadline.
    var mayContinue: Bool {
        let report = report
        return report.isComplete || report.lastError?.isDeadline == true
    }

    /// The part of the report that callers whose deadline passed have received. A caller that joins the flush reports what
    /// follows.
    var returned: FlushReport { state.withLock { $0.returned } }

    /// Returns the report so far without `earlier`, for a caller that leaves before the end.
    func takeReport(since earlier: FlushReport) -> FlushReport {
        state.withLock { state in
            state.returned = state.report
            return state.report.since(earlier)
        }
    }

    subscript<Value>(dynamicMember member: KeyPath<FlushReport, Value>) -> Value {
        report[keyPath: member]
    }

    /// Set by the flush itself only.
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

/// The first of two events that end a wait.
final class FirstAnswer: Sendable {
    private struct State: Sendable {
        var answer: FlushAnswer?
        var continuation: CheckedContinuation<FlushAnswer, Never>?
    }

    private let state = Locked(State())

    /// Awaited by one task.
    var value: FlushAnswer {
        get async {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state in
                    if state.answer == nil { state.continuation = continuation }
                    return state.answer
                }
                if let answer { continuation.resume(returning: answer) }
            }
        }
    }

    func give(_ answer: FlushAnswer) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            state.answer = state.answer ?? answer
            return state.continuation
        }
        continuation?.resume(returning: answer)
    }
}
