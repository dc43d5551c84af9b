import Foundation

/// Length of the tests with many cases: `CLICKSTREAM_TESTS` in the environment, `short` by default.
package enum TestLength: String, Sendable, CaseIterable {
    /// A sample with each kind of case, for `make test`.
    case short
    /// All cases but those that take hours, for `.ci/full`.
    case full
    /// The random cases, kills and damages of `make soak` as well.
    case soak

    package static let current: TestLength = {
        guard let text = environment("CLICKSTREAM_TESTS") else { return .short }
        guard let length = TestLength(rawValue: text) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("CLICKSTREAM_TESTS is '\(text)', not one of: \(names)")
        }
        return length
    }()

    /// Returns the value of the current length; that of `soak` is by default that of `full`.
    package static func count(_ short: Int, full: Int, soak: Int? = nil) -> Int {
        switch current {
        case .short: short
        case .full: full
        case .soak: soak ?? full
        }
    }

    /// Returns the seeds of a test with random cases.
    ///
    /// `CLICKSTREAM_FIRST_CASE` is the first seed, 1 by default, and `CLICKSTREAM_CASES` their number instead of that of
    /// the length: both repeat a case whose seed a failure reports, with `--filter`.
    package static func seeds(_ short: Int, full: Int, soak: Int? = nil) -> Range<Int> {
        let first = number("CLICKSTREAM_FIRST_CASE") ?? 1
        return first..<first + (number("CLICKSTREAM_CASES") ?? count(short, full: full, soak: soak))
    }

    /// Returns all cases, or in `short` a number of them at equal distances, with the first and the last.
    package static func sample<Case>(_ cases: [Case], short: Int) -> [Case] {
        guard current == .short, short < cases.count else { return cases }
        precondition(short > 1, "a sample contains the first and the last case")
        return (0..<short).map { cases[$0 * (cases.count - 1) / (short - 1)] }
    }

    /// Returns all pairs, or in `short` as many as contain each value of both arrays.
    package static func pairs<First, Second>(_ first: [First], _ second: [Second]) -> [(First, Second)] {
        guard current == .short, !first.isEmpty, !second.isEmpty else {
            return first.flatMap { one in second.map { (one, $0) } }
        }
        return (0..<max(first.count, second.count)).map { (first[$0 % first.count], second[$0 % second.count]) }
    }

    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func number(_ name: String) -> Int? {
        guard let text = environment(name) else { return nil }
        guard let number = Int(text), number > 0 else {
            preconditionFailure("\(name) is '\(text)', not a positive number")
        }
        return number
    }
}
