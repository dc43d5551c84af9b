import ClickstreamCore
import ClickstreamJudges
import Synchronization

/// Counts the notices of the library while a script is played, and passes the lines on.
final class ReplayTally: Sendable {
    /// Lines that are passed on.
    enum Lines: Sendable, Equatable {
        /// Events in a format, as recorded.
        case events(CapturedFormat)
        /// Those of ``ReplayTally/receive(_:)``.
        case others
    }

    private struct Counts: Sendable {
        var recorded = 0
        var captured: [FormatName: Int] = [:]
        var delivered = 0
        var unstored = 0
        var setAside = 0
        var reason = ""
        var reasonForSettingAside: String?
        var evicted = 0
        var reasonForEviction = ""
        var writing: CommandFailure?

        /// The number of events in all formats.
        var stored: Int { captured.values.reduce(recorded, +) }
    }

    private let counts = Mutex(Counts())
    private let warnings: WarningLog
    private let explanations: Explanations?
    private let lines: Lines
    private let planFindings: PlanFindingLog?
    private let pass: @Sendable ([UInt8]) throws -> Void

    init(
        explanations: Explanations?,
        warnings: WarningLog,
        lines: Lines,
        planFindings: PlanFindingLog? = nil,
        pass: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.explanations = explanations
        self.warnings = warnings
        self.lines = lines
        self.planFindings = planFindings
        self.pass = pass
    }

    /// The number of events in the clickstream format.
    var recorded: Int { counts.withLock { $0.recorded } }
    /// The number of events in each other format.
    var captured: [FormatName: Int] { counts.withLock { $0.captured } }
    /// The number of events in all formats.
    var stored: Int { counts.withLock { $0.stored } }
    var delivered: Int { counts.withLock { $0.delivered } }
    var setAside: Int { counts.withLock { $0.setAside } }
    /// `nil` if no event was set aside.
    var reasonForSettingAside: String? { counts.withLock { $0.reasonForSettingAside } }

    /// Message on events removed unsent; `nil` if there are none.
    var eviction: String? {
        counts.withLock { counts in
            guard counts.evicted > 0 else { return nil }
            return "removed \(counts.evicted) of \(Plural.events(counts.stored)) unsent: \(counts.reasonForEviction)"
        }
    }

    /// Failure of the replay in spite of a complete flush.
    var failure: CommandFailure? {
        counts.withLock { counts in
            if let writing = counts.writing { return writing }
            guard counts.unstored > 0 else { return nil }
            return CommandFailure(
                .inputOutput,
                "\(counts.unstored) of \(counts.recorded + counts.unstored) events could not be stored: \(counts.reason)"
            )
        }
    }

    /// Passes on a line that is no recorded event.
    func receive(_ line: [UInt8]) {
        do {
            try pass(line)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        counts.withLock { $0.writing = error as? CommandFailure ?? CommandFailure(.inputOutput, "\(error)") }
    }

    func take(_ notice: Notice) {
        do {
            try explanations?.take(notice)
            switch notice {
            case .recorded(_, _, let line, _):
                counts.withLock { $0.recorded += 1 }
                planFindings?.take(line)
                if lines == .events(.clickstream) { try pass(line) }
            case .captured(let format, let line):
                counts.withLock { $0.captured[format, default: 0] += 1 }
                if case .events(let form) = lines, form.name == format { try pass(line) }
            default:
                break
            }
        } catch {
            fail(error)
        }
        switch notice {
        case .unstored(_, _, let reason):
            counts.withLock { counts in
                counts.unstored += 1
                counts.reason = reason.description
            }
        case .uploaded(let events, _, _):
            counts.withLock { $0.delivered += events }
        case .setAside(let events, let reason):
            counts.withLock { counts in
                counts.setAside += events
                counts.reasonForSettingAside = reason.description
            }
        case .evicted(let events, let reason):
            counts.withLock { counts in
                counts.evicted += events
                counts.reasonForEviction = reason.description
            }
        case .recorded(_, _, _, let violations), .rejected(let violations):
            warnings.add(violations)
        case .warning(let warning):
            warnings.add(warning.message)
        case .deliveryRefused:
            warnings.add(notice.description)
        case .captured, .sessionDecided, .retained:
            break
        }
    }
}
