import ArgumentParser
import ClickstreamAudit
import ClickstreamCore
import ClickstreamJudges

/// Format of events on the command line; the raw value is the name of the wire format.
extension CapturedFormat: ExpressibleByArgument {
    /// Names of the formats that a simulated app records.
    static let replayed = replayedForms.map(\.rawValue)

    /// The formats that a simulated app records. Audit needs a database.
    static let replayedForms = [clickstream] + recordedForms

    /// The formats that a simulated app with automatic capture records beside clickstream.
    static let recordedForms = ofCapture.filter { $0.queue != nil }

    /// Transform of an option with a format that a simulated app records. Its help then lists no other.
    @Sendable
    static func replayedArgument(_ argument: String) throws -> CapturedFormat {
        if argument == CapturedFormat.audit.rawValue {
            throw RefusedValue.error(
                argument,
                "'audit' needs a database, which a simulated app has not; 'clickstream-cli audit' records audit events"
            )
        }
        guard let form = replayedForms.first(where: { $0.rawValue == argument }) else {
            let values = replayed.map { "'\($0)'" }.joined(separator: ", ")
            let text = Console.escaped(argument)
            throw RefusedValue.error(argument, "'\(text)' is not a valid value; use one of \(values)")
        }
        return form
    }

    /// Names of formats in a help text.
    static func names(_ forms: [CapturedFormat] = allCases) -> String { forms.map(\.rawValue).joined(separator: ", ") }

    /// Names of formats in the help text of an option whose default is the first.
    static func namesAfterDefault(_ forms: [CapturedFormat] = allCases) -> String {
        "\(forms[0].rawValue) (the default), \(names(Array(forms.dropFirst())))"
    }

    /// Title of the formats with batches in a help text.
    static var batchTitle: String { .list(captured.filter { $0.batch != nil }.map(\.title), "or") }

    /// Format of the queue of this form, to open the queue; `nil` for clickstream, whose queue is always open.
    var wireFormat: (any WireFormat)? { self == .audit ? AuditFormat() : queue?() }
}
