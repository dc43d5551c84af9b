package import ClickstreamCore

/// State machine of the items that were seen in one table or collection. Pure: every input carries its time.
package struct ImpressionMachine: Sendable, Equatable {
    /// The visibility that does not count as seen yet, in milliseconds.
    package static let longestGlance: Int64 = 3_000

    /// Starts of the current periods, by item index.
    ///
    /// Transitions: an item that becomes visible by more than half is added. It is removed when it does not remain so,
    /// and by ``close(at:)``.
    private var visible: [Int: Moment] = [:]
    /// The longest complete period of each item that counts.
    private var seen: [Int: Period] = [:]

    private struct Period: Sendable, Equatable {
        var start: Timestamp
        /// In milliseconds, without the time in which the machine was suspended.
        var length: Int64
    }

    package init() {}

    /// Handles a change of the layout.
    package mutating func update(_ layout: VisibleItems, at moment: Moment) {
        var now: [Int: Moment] = [:]
        for item in layout.items where Self.isMostlyVisible(item.frame, in: layout.viewport) {
            now[item.index] = visible[item.index] ?? moment
        }
        for (index, start) in visible where now[index] == nil { end(index, since: start, at: moment) }
        visible = now
    }

    /// The number of items that count so far.
    package var seenCount: Int { seen.count }

    /// Returns true if an item counts so far.
    package func hasSeen(_ index: Int) -> Bool { seen[index] != nil }

    /// Ends all periods: the container disappears.
    /// - Returns: the items that count, ordered by the start of their periods, then by index, without data.
    package mutating func close(at moment: Moment) -> [ItemImpression] {
        for (index, start) in visible { end(index, since: start, at: moment) }
        defer { self = ImpressionMachine() }
        return seen.sorted { ($0.value.start, $0.key) < ($1.value.start, $1.key) }.map { index, period in
            ItemImpression(index: index, start: period.start, viewTime: Int((period.length &+ 500) / 1_000))
        }
    }

    private mutating func end(_ index: Int, since start: Moment, at moment: Moment) {
        let length = moment.awake &- start.awake
        // Of equal periods, the first counts.
        guard length > max(Self.longestGlance, seen[index]?.length ?? 0) else { return }
        seen[index] = Period(start: start.wall, length: length)
    }

    private static func isMostlyVisible(_ frame: Capture.Frame, in viewport: Capture.Frame) -> Bool {
        2 * frame.sharedArea(with: viewport) > frame.area
    }
}
