extension Script {
    /// Amount of work in a script.
    package struct Extent: Sendable, Hashable {
        /// The number of steps; a `repeat` counts as its steps times its repetitions.
        package var steps: Int
        /// The total duration of waits, sleeps, touches and scrolls.
        package var milliseconds: Int64

        package init(steps: Int = 0, milliseconds: Int64 = 0) {
            self.steps = steps
            self.milliseconds = milliseconds
        }

        package static func + (left: Extent, right: Extent) -> Extent {
            Extent(
                steps: Int(Int64(left.steps).sum(Int64(right.steps))),
                milliseconds: left.milliseconds.sum(right.milliseconds)
            )
        }

        package static func * (one: Extent, times: Int) -> Extent {
            Extent(
                steps: Int(Int64(one.steps).product(Int64(times))),
                milliseconds: one.milliseconds.product(Int64(times))
            )
        }
    }

    /// The amount of work in the whole script.
    package var extent: Extent { Self.extent(of: steps) }

    private static func extent(of steps: [Step]) -> Extent {
        steps.reduce(Extent()) { sum, step in
            switch step.action {
            case .repeat(let times, let steps): sum + extent(of: steps) * times
            default: sum + Extent(steps: 1, milliseconds: step.action.duration)
            }
        }
    }

    /// True if the steps do nothing, however often they are repeated.
    static func areEmpty(_ steps: [Step]) -> Bool {
        steps.allSatisfy { step in
            guard case .repeat(let times, let steps) = step.action else { return false }
            return times == 0 || areEmpty(steps)
        }
    }

    /// The maximum advance of the wall clock relative to the first step, in milliseconds.
    ///
    /// A script that starts this long before now records no event in the future.
    package var wallSpan: Int64 { Self.walk(steps).furthest }

    /// Returns the advance of the wall clock after these steps, and its maximum during them.
    private static func walk(_ steps: [Step]) -> (moved: Int64, furthest: Int64) {
        var moved: Int64 = 0
        var furthest: Int64 = 0
        for step in steps {
            switch step.action {
            case .clock(.by(let milliseconds)):
                moved = moved.sum(milliseconds)
                furthest = max(furthest, moved)
            case .repeat(let times, let steps) where times > 0:
                let round = walk(steps)
                // Every round advances the clock equally, so the maximum is in the first or the last round.
                let last = moved.sum(round.moved.product(Int64(times - 1)))
                furthest = max(furthest, moved.sum(round.furthest), last.sum(round.furthest))
                moved = last.sum(round.moved)
            default:
                moved = moved.sum(step.action.duration)
                furthest = max(furthest, moved)
            }
        }
        return (moved, furthest)
    }
}

extension Int64 {
    /// Returns the sum, saturating at the bounds.
    fileprivate func sum(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the product, saturating at the bounds.
    fileprivate func product(_ other: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: other)
        return overflows ? ((self > 0) == (other > 0) ? .max : .min) : product
    }
}
