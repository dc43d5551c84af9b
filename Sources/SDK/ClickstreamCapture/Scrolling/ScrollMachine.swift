package import ClickstreamCore

/// State machine of one scroll view. Pure: every input carries its time.
package struct ScrollMachine: Sendable, Equatable {
    /// The time without a change after which a scroll has ended, in milliseconds.
    package static let idle: Int64 = 200

    /// The latest reported position.
    private var position: Capture.ScrollPosition
    /// The scroll in progress.
    ///
    /// Transitions: the first change of the offset starts it, each further one extends it. ``expire(at:)`` after
    /// ``idle`` and ``close(at:)`` end it.
    private var progress: Progress?

    private struct Progress: Sendable, Equatable {
        var start: Capture.ScrollPosition
        /// The position of the last change.
        var end: Capture.ScrollPosition
        var first: Moment
        var last: Moment
    }

    /// End of a scroll.
    package struct End: Sendable, Equatable {
        package var time: Moment
        /// `nil` if the end position is the start position.
        package var scroll: Scroll?
    }

    /// A scroll view at rest.
    package init(at position: Capture.ScrollPosition) {
        self.position = position
    }

    /// The monotonic time at which the scroll in progress ends if the offset does not change.
    package var deadline: Int64? { progress.map { $0.last.steady &+ Self.idle } }

    /// Handles a report of the position. Call ``expire(at:)`` first.
    package mutating func move(to new: Capture.ScrollPosition, at moment: Moment) {
        defer { position = new }
        let isChange =
            new.horizontal.offset != position.horizontal.offset || new.vertical.offset != position.vertical.offset
        guard isChange else { return }
        progress = Progress(
            start: progress?.start ?? position,
            end: new,
            first: progress?.first ?? moment,
            last: moment
        )
    }

    /// Ends the scroll in progress if it has been idle for long enough. Its time is the deadline.
    package mutating func expire(at moment: Moment) -> End? {
        guard let progress, let deadline, moment.steady >= deadline else { return nil }
        return end(at: progress.last.advanced(by: Self.idle))
    }

    /// Ends the scroll in progress: the scroll view disappears.
    package mutating func close(at moment: Moment) -> End? {
        progress == nil ? nil : end(at: moment)
    }

    private mutating func end(at moment: Moment) -> End {
        defer { progress = nil }
        return End(time: moment, scroll: progress.flatMap { Self.scroll($0) })
    }

    private static func scroll(_ progress: Progress) -> Scroll? {
        let right = progress.end.horizontal.offset - progress.start.horizontal.offset
        let down = progress.end.vertical.offset - progress.start.vertical.offset
        let isHorizontal = abs(right) > abs(down)
        let change = isHorizontal ? right : down
        guard change != 0 else { return nil }
        let start = isHorizontal ? progress.start.horizontal : progress.start.vertical
        let end = isHorizontal ? progress.end.horizontal : progress.end.vertical
        let duration = max(1, progress.last.steady &- progress.first.steady)
        return Scroll(
            distance: Int(saturating: abs(change)),
            speed: Int(saturating: abs(change) * 1_000 / Double(duration)),
            direction: isHorizontal ? (change > 0 ? .left : .right) : (change > 0 ? .up : .down),
            depth: depth(of: end),
            start: Int(saturating: start.offset),
            end: Int(saturating: end.offset),
            duration: duration
        )
    }

    /// The percentage of the content up to the end of the visible part; 100 without content.
    private static func depth(of axis: Capture.ScrollPosition.Axis) -> Int {
        guard axis.content > 0 else { return 100 }
        return Int(saturating: min(100, max(0, 100 * (axis.offset + axis.visible) / axis.content)))
    }
}
