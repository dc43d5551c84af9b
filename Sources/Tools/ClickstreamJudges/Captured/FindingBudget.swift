import ClickstreamCore

/// Number and bytes of the findings that a body of captured events may list.
///
/// The findings on a header are those of each event: without a budget, their text would grow with the product of both.
package struct FindingBudget: Sendable {
    /// Maximum number of findings listed for one body.
    package static let maxFindings = 20_000

    /// Bytes of listed findings that a body may have, whatever its length.
    package static let minBytes = 262_144

    private var count = FindingBudget.maxFindings
    private var bytes: Int

    /// - Parameter body: the number of bytes of the body.
    package init(body: Int) {
        bytes = FindingBudget.minBytes + 4 * body
    }

    /// Maximum number of listed findings of the next event.
    package var maxListed: Int { bytes > 0 ? min(count, Rules.maxFindings) : 0 }

    /// Subtracts the listed findings of an event.
    package mutating func take(_ findings: [WireFinding]) {
        count = max(0, count - findings.count)
        bytes -= findings.reduce(0) { $0 + $1.name.utf8.count + $1.message.utf8.count }
    }
}
