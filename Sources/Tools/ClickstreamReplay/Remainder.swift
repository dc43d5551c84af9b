package import ClickstreamCore

/// Events of a replay that the server did not accept. They stay in the queue.
package struct Remainder: Sendable, Equatable {
    /// The reason for which events are left.
    package enum Reason: Sendable, Equatable {
        case flush(FlushError)
        /// The server accepted no event within this number of milliseconds.
        case silence(milliseconds: Int64)

        /// - Parameters:
        ///   - error: the reason of a flush whose deadline was `timeout`; the caller gave none, so that the failure before the
        ///     deadline is the reason.
        init(_ error: FlushError, timeout: Int64) {
            if case .deadlinePassed(let failure) = error {
                self = failure.map { .flush($0) } ?? .silence(milliseconds: timeout)
            } else {
                self = .flush(error)
            }
        }
    }

    package var events = 0
    /// `nil` if no events are left.
    package var reason: Reason?

    package init() {}

    package var isEmpty: Bool { events == 0 }
}

extension Remainder.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .flush(let error): "\(error)"
        case .silence(let milliseconds): "the server took nothing for \(milliseconds) ms"
        }
    }
}
