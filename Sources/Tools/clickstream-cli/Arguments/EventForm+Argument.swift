import ArgumentParser
import ClickstreamAudit
import ClickstreamCapture
import ClickstreamCore
import ClickstreamJudges

/// Format of events on the command line; the raw value is the name of the wire format.
extension EventForm: ExpressibleByArgument {
    /// Names of the formats that a simulated app records: all but audit, which needs a database.
    static let replayed = allCases.filter { $0 != .audit }.map(\.rawValue)

    /// Transform of an option with a format that a simulated app records. Its help then lists no other.
    @Sendable
    static func replayedArgument(_ argument: String) throws -> EventForm {
        if argument == EventForm.audit.rawValue {
            throw RefusedValue.error(
                argument,
                "'audit' needs a database, which a simulated app has not; 'clickstream-cli audit' records audit events"
            )
        }
        guard let form = EventForm(rawValue: argument) else {
            let values = replayed.map { "'\($0)'" }.joined(separator: ", ")
            let text = Console.escaped(argument)
            throw RefusedValue.error(argument, "'\(text)' is not a valid value; use one of \(values)")
        }
        return form
    }

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
