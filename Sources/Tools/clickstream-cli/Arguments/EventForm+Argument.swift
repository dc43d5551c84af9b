import ArgumentParser
import ClickstreamAudit
import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges

/// Format of events on the command line; the raw value is the name of the wire format.
extension EventForm: ExpressibleByArgument {
    /// Names of the formats that a simulated app records: all but audit, which needs a database.
    static let replayed = allCases.filter { $0 != .audit }.map(\.rawValue)

    /// Format of the queue of this form, to open the queue; `nil` for clickstream, whose queue is always open.
    var wireFormat: (any WireFormat)? {
        switch self {
        case .clickstream: nil
        case .pulse: PulseFormat()
        case .contentsquare: ContentsquareFormat(projectID: 0)
        case .audit: AuditFormat()
        }
    }
}
