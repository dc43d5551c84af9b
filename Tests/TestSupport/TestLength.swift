import Foundation

/// Length of the tests that may run for any time: random cases, sweeps over file operations, kills of processes.
///
/// The environment variable `CLICKSTREAM_TESTS` selects it. Two other variables repeat random cases that a test has reported:
/// `CLICKSTREAM_FIRST_CASE` is the seed of the first case, `CLICKSTREAM_CASES` their number.
package enum TestLength: String, CaseIterable, Sendable {
    /// A sample for the gate, the default: at most a few seconds for each suite.
    case short
    /// Minutes, for the jobs of `.ci/full`.
    case full
    /// Hours, for `make soak`.
    case soak

    package static let current: TestLength = {
        guard let text = ProcessInfo.processInfo.environment["CLICKSTREAM_TESTS"], !text.isEmpty else { return .short }
        guard let length = TestLength(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("CLICKSTREAM_TESTS is \"\(text)\"; it must be one of: \(names)")
        }
        return length
    }()

    /// Value for the current length; `soak` is that of `full` if it is nil.
    package static func value(_ short: Int, full: Int, soak: Int? = nil) -> Int {
        switch current {
        case .short: short
        case .full: full
        case .soak: soak ?? full
        }
    }

    /// Seeds of random cases, as many as ``value(_:full:soak:)`` or as `CLICKSTREAM_CASES` says.
    package static func seeds(_ short: Int, full: Int, soak: Int) -> Range<Int> {
        let first = number("CLICKSTREAM_FIRST_CASE") ?? 1
        let count = number("CLICKSTREAM_CASES") ?? value(short, full: full, soak: soak)
        return first..<(first + max(1, count))
    }

    /// All cases; in a short run `count` of them: the first, the last, and others at equal distances.
    package static func sample<Case>(_ cases: [Case], short count: Int) -> [Case] {
        precondition(count > 1)
        guard current == .short, cases.count > count else { return cases }
        return (0..<count).map { cases[$0 * (cases.count - 1) / (count - 1)] }
    }

    private static func number(_ variable: String) -> Int? {
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return nil }
        guard let number = Int(text) else { preconditionFailure("\(variable) is \"\(text)\"; it must be an integer") }
        return number
    }
}
