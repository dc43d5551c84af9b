/// Rows of one subject, compiled once from ``Rules/all``: limits as integers for the fast paths, and the checks in the
/// order of execution.
///
/// A subject without a row for a check has no limit there. A class, because copying a value with so many strings would
/// cost more than the check.
package final class CompiledRules: Sendable {
    /// Form in which the server reads an integer.
    package enum WholeNumber: Sendable {
        /// 64 bits; a text of digits is accepted too.
        case lenient
        /// 32 bits, and a JSON number.
        case strict

        func accepts(_ value: AttributeValue) -> Bool {
            switch (self, value) {
            case (.lenient, .integer): true
            case (.lenient, .string(let text)): Int64(text) != nil
            case (.strict, .integer(let number)): Int32(exactly: number) != nil
            default: false
            }
        }
    }

    /// Check and limit of one row, without its texts.
    private struct Step: Sendable {
        var check: Rule.Check
        var limit: Int
        /// The position in ``rows``.
        var row: Int
    }

    /// The noun used in messages.
    let noun: String
    /// The reserved names that are allowed without a warning.
    package let known: Set<String>
    /// The reserved names whose values the server reads as integers.
    package let wholeNumbers: [String: WholeNumber]
    /// The length in bytes of the shortest of these names: shorter names need no lookup.
    let shortestWholeNumber: Int
    /// True if the user id is one of these attributes.
    let hasUserID: Bool

    package let longestName: Int
    package let longestValue: Int
    /// The maximum number of attributes: of an event, a user, or the custom ones of an item.
    package let maxCount: Int
    /// The maximum number of items of an event.
    package let maxItems: Int
    /// The suggested limits, up to which there is no warning.
    let usualName: Int
    let usualValue: Int
    let usualCount: Int
    let usualItems: Int

    /// The rows of the subject, in the order of execution.
    private let rows: [Rule]
    /// The checks of one name with its value.
    private let steps: [Step]
    /// The checks of a value that has to be there.
    private let required: [Step]

    init(
        _ subject: Violation.Subject,
        noun: String,
        known: Set<String> = [],
        wholeNumbers: [String: WholeNumber] = [:],
        hasUserID: Bool = false,
        table: [Rule] = Rules.all
    ) {
        let rows = table.filter { $0.subject == subject }.orderedByNumber { Int64($0.check.order) }
        func steps(_ scope: Rule.Check.Scope) -> [Step] {
            rows.indices.filter { rows[$0].check.scope == scope }
                .map { Step(check: rows[$0].check, limit: rows[$0].limit ?? .max, row: $0) }
        }
        func limits(_ check: Rule.Check, ofItems: Bool = false) -> (hard: Int, suggested: Int) {
            let row = rows.first { $0.check == check && ($0.unit == .items) == ofItems }
            let hard = row?.limit ?? .max
            return (hard, min(row?.suggestion ?? .max, hard))
        }
        self.noun = noun
        self.known = known
        self.wholeNumbers = wholeNumbers
        shortestWholeNumber = wholeNumbers.keys.lazy.map(\.utf8.count).min() ?? .max
        self.hasUserID = hasUserID
        (longestName, usualName) = limits(.nameLength)
        (longestValue, usualValue) = limits(.valueLength)
        (maxCount, usualCount) = limits(.count)
        (maxItems, usualItems) = limits(.count, ofItems: true)
        self.rows = rows
        self.steps = steps(.element)
        required = steps(.required)
    }

    /// The row of a check; for the count of an event's items, use ``itemCount``.
    subscript(check: Rule.Check) -> Rule? {
        rows.first { $0.check == check && $0.unit != .items }
    }

    /// The row of the number of items.
    var itemCount: Rule? {
        rows.first { $0.check == .count && $0.unit == .items }
    }

    /// Returns true if a name with its value violates a row. Constant time for a text of any length.
    func isViolated(by name: String, _ value: AttributeValue?) -> Bool {
        steps.contains { $0.check.isViolated(by: name, value, limit: $0.limit) }
    }

    /// Returns the first violation of a name with its value, or `nil`.
    func violation(by name: String, _ value: AttributeValue?, item: Int? = nil) -> Violation? {
        violation(of: steps, by: name, value, item: item)
    }

    /// Returns true if a value that has to be there violates a row.
    func isViolated(byRequired value: AttributeValue?, named name: String) -> Bool {
        required.contains { $0.check.isViolated(by: name, value, limit: $0.limit) }
    }

    /// Returns the first violation of a value that has to be there, or `nil`.
    func violation(byRequired value: AttributeValue?, named name: String, item: Int? = nil) -> Violation? {
        violation(of: required, by: name, value, item: item)
    }

    private func violation(
        of steps: [Step],
        by name: String,
        _ value: AttributeValue?,
        item: Int?
    ) -> Violation? {
        for step in steps where step.check.isViolated(by: name, value, limit: step.limit) {
            return rows[step.row].violation(by: name, value, noun: noun, item: item)
        }
        return nil
    }

    /// Returns the violation of an attribute that exceeds ``maxCount``.
    package func violation(ofCountBy name: String) -> Violation? {
        self[.count]?.violation(by: name, nil, noun: noun)
    }

    /// Returns the violation of an item that exceeds ``maxItems``.
    package func violation(ofCountByItem index: Int) -> Violation? {
        itemCount?.brokenByItemCount(at: index)
    }
}
