package import ClickstreamCapture
package import ClickstreamCore

extension Step {
    /// Input of a user interface.
    package enum Input: Sendable, Hashable {
        /// A page appears, by its class.
        case show(page: String)
        case click(view: String)
        case touch([TouchPoint])
        case scroll(ScrollTo)
        case gesture(RecognizedGesture, view: String)
    }

    /// Event that an app reports to automatic capture.
    package enum Report: Sendable, Hashable {
        case transaction(Capture.Transaction)
        case variable(DynamicVariable)
        case revenue(RevenueKind, Attributes)
    }

    /// Point of a touch with the time since the point before it.
    package struct TouchPoint: Sendable, Hashable {
        /// In milliseconds; 0 for the first point.
        package var delay: Int64
        package var point: Capture.Point

        package init(_ point: Capture.Point, after delay: Int64 = 0) {
            self.delay = delay
            self.point = point
        }
    }

    /// Scroll of a view to an offset.
    package struct ScrollTo: Sendable, Hashable {
        package var view: String
        package var target: Target
        /// In milliseconds.
        package var duration: Int64

        package enum Target: Sendable, Hashable {
            /// An offset along the view's axis; see ``ScriptedView/scrollAxis``.
            case offset(Double)
            case point(Capture.Point)
        }

        package init(view: String, to target: Target, in duration: Int64) {
            self.view = view
            self.target = target
            self.duration = duration
        }
    }
}

extension Step.Action {
    /// The time by which the step advances the clock, in milliseconds; of a repetition 0.
    package var duration: Int64 {
        switch self {
        case .wait(let milliseconds), .sleep(let milliseconds): milliseconds
        case .input(.touch(let points)): points.reduce(0) { $0 + $1.delay }
        case .input(.scroll(let scroll)): scroll.duration
        default: 0
        }
    }
}

extension Step.Input {
    /// The view of the current page that the step refers to.
    var view: String? {
        switch self {
        case .click(let view), .gesture(_, let view): view
        case .scroll(let scroll): scroll.view
        case .show, .touch: nil
        }
    }
}
