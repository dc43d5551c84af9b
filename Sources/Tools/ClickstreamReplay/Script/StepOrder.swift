import ClickstreamCore
import ClickstreamDocuments

/// Checks the order of steps, including repetitions, in one pass over the script.
///
/// A list of steps is summarized once as a function on the states of the process; a repetition then costs two
/// look-ups, for any count and depth.
struct StepOrder {
    /// Maximum number of unrolled steps.
    static let maxSteps: Int64 = 1_000_000_000
    /// Maximum duration of a script: a thousand years in milliseconds.
    static let maxDuration: Int64 = 365_250 * 86_400_000

    /// State of the process at some point of the script.
    fileprivate enum Process: Int, CaseIterable {
        /// No launch yet.
        case none
        case alive
        case terminated
        case killed
        case crashed
        /// A reported step was out of order; suppresses further problems until the state is certain again.
        case unclear
    }

    /// A step out of order.
    fileprivate struct Problem: Hashable {
        var problem: DocumentProblem
        /// True if the step is out of order only from the second repetition on.
        var isInRepetition = false

        var described: DocumentProblem {
            guard isInRepetition else { return problem }
            return DocumentProblem(
                at: problem.position,
                problem.message + " when repeated",
                suggestion: problem.suggestion
            )
        }
    }

    /// The state after some steps, and their problems.
    fileprivate struct Path {
        var end: Process
        var problems: [Problem] = []

        init(from start: Process) {
            end = start
        }
    }

    /// Indexed by the raw value of the initial state.
    private var paths = Process.allCases.map { Path(from: $0) }
    private var count: Int64 = 0
    private var duration: Int64 = 0
    /// Problems in any state, such as a size beyond a limit.
    private var excesses: [DocumentProblem] = []

    /// Problems of a whole script.
    static func problems(of steps: [Step], at position: SourcePosition) -> [DocumentProblem] {
        guard !steps.isEmpty else {
            return [DocumentProblem(at: position, "'steps' is empty; start with 'launch'")]
        }
        let order = StepOrder(steps)
        return order.paths[Process.none.rawValue].problems.map(\.described) + order.excesses
    }

    private init(_ steps: [Step]) {
        for step in steps {
            if case .repeat(let times, let body) = step.action {
                append(StepOrder(body), times: Int64(times), at: step.position)
            } else {
                append(step)
            }
        }
    }

    private mutating func append(_ step: Step) {
        for index in paths.indices { paths[index].append(step) }
        count += 1
        lengthen(by: step.action.duration, at: step.position)
    }

    private mutating func append(_ body: StepOrder, times: Int64, at position: SourcePosition) {
        excesses += body.excesses
        guard times > 0 else { return }
        for index in paths.indices {
            let first = body.paths[paths[index].end.rawValue]
            paths[index].add(first.problems)
            paths[index].end = first.end
            guard times > 1 else { continue }
            let second = body.paths[first.end.rawValue]
            paths[index].add(
                second.problems.filter { !first.problems.contains($0) }
                    .map { Problem(problem: $0.problem, isInRepetition: true) }
            )
            paths[index].end = second.end
        }
        let (steps, areTooMany) = body.count.multipliedReportingOverflow(by: times)
        if areTooMany || steps > StepOrder.maxSteps - count {
            if excesses.isEmpty {
                excesses.append(
                    DocumentProblem(at: position, "the script has more than \(StepOrder.maxSteps) steps to run")
                )
            }
        } else {
            count += steps
        }
        let (milliseconds, areTooLong) = body.duration.multipliedReportingOverflow(by: times)
        lengthen(by: areTooLong ? .max : milliseconds, at: position)
    }

    private mutating func lengthen(by milliseconds: Int64, at position: SourcePosition) {
        guard milliseconds > StepOrder.maxDuration - duration else {
            duration += milliseconds
            return
        }
        if excesses.isEmpty {
            excesses.append(DocumentProblem(at: position, "the script lasts more than 1000 years"))
        }
    }
}

extension StepOrder.Path {
    fileprivate mutating func append(_ step: Step) {
        switch step.action {
        case .launch:
            if end == .alive {
                add(step, "'launch' while a process is running", "end it first with 'terminate', 'kill' or 'crash'")
            }
            end = .alive
        case .wait, .clock, .network, .repeat:
            checkLaunched(step)
        case .terminate:
            checkAlive(step)
            end = .terminated
        case .kill:
            checkAlive(step)
            end = .killed
        case .crash:
            checkAlive(step)
            end = .crashed
        default:
            checkAlive(step)
        }
    }

    private mutating func checkLaunched(_ step: Step) {
        guard end == .none else { return }
        add(step, "'\(step.word)' before the first 'launch'", "start the steps with 'launch'")
        end = .unclear
    }

    private mutating func checkAlive(_ step: Step) {
        checkLaunched(step)
        let ending: String
        switch end {
        case .none, .alive, .unclear: return
        case .terminated: ending = "terminate"
        case .killed: ending = "kill"
        case .crashed: ending = "crash"
        }
        let hint = "only wait, clock and network are allowed before the next 'launch'"
        add(step, "'\(step.word)' after '\(ending)' has ended the process", hint)
        end = .unclear
    }

    private mutating func add(_ step: Step, _ message: String, _ suggestion: String) {
        add([StepOrder.Problem(problem: DocumentProblem(at: step.position, message, suggestion: suggestion))])
    }

    fileprivate mutating func add(_ others: [StepOrder.Problem]) {
        problems += others.prefix(max(0, DocumentError.limit - problems.count))
    }
}
