import ClickstreamCore
import ClickstreamPlan
import Synchronization

/// Checks recorded events against a plan, and prints the findings to standard error: the first hundred errors and warnings
/// each, then their numbers. Callable from any thread.
final class PlanFindingLog: Sendable {
    private struct Counts: Sendable {
        var errors = 0
        var warnings = 0
        /// Errors (`true`) and warnings that are printed, so that the same one of many events is printed once.
        var printed: [Bool: Set<String>] = [:]
    }

    private static let shown = 100

    private let judge: PlanJudge
    /// True if warnings count as errors.
    private let isStrict: Bool
    private let counts = Mutex(Counts())

    init(_ judge: PlanJudge, isStrict: Bool) {
        self.judge = judge
        self.isStrict = isStrict
    }

    /// Checks the line of one event.
    func take(_ line: [UInt8]) {
        // The library writes valid JSON.
        guard let event = try? JSONReader.parse(line) else { return }
        let verdict = judge.verdict(on: event)
        guard !verdict.findings.isEmpty else { return }
        let name = PlanJudge.name(of: event) ?? ""
        counts.withLock { counts in
            for finding in verdict.findings {
                let isError = isStrict || finding.severity == .error
                if isError { counts.errors += 1 } else { counts.warnings += 1 }
                let text = "\(name): \(finding.message) [\(finding.code.rawValue)]"
                guard counts.printed[isError, default: []].count < Self.shown,
                    counts.printed[isError, default: []].insert(text).inserted
                else { continue }
                if isError { Console.fail(text) } else { Console.warn(text) }
            }
            counts.errors += verdict.unlisted
        }
    }

    /// Prints the numbers of findings, and returns the exit status.
    func report() -> ExitStatus {
        let (errors, warnings) = counts.withLock { ($0.errors, $0.warnings) }
        guard errors + warnings > 0 else { return .done }
        Console.note(
            "plan: \(Plural.count(errors, "error")), \(Plural.count(warnings, "warning")); each is printed once"
        )
        return errors > 0 ? .findings : .done
    }
}
