package import ClickstreamCapture
package import ClickstreamCore
package import ClickstreamJudges

/// Format of automatic capture, for tests of each format: its settings, events with known names and findings, and the
/// events of known input.
///
/// Each format has a folder with its fixture; ``all`` registers them.
package struct FormatFixture: Sendable {
    /// The description that the registry contains.
    package let format: CapturedFormat
    /// Name of the format as users write it.
    package let name: String
    /// The member of an event with its name, or with the number that the format has in its place.
    package let nameMember: String
    /// Sets the server of the format; `nil` disables the format.
    package let configure: @Sendable (inout CaptureConfiguration, _ endpoint: String?) -> Void
    package let division: Division
    package let summary: Summary
    /// Make events with a JSON value in each of the members that a phrase shows.
    package let phrased: [@Sendable (_ value: String) -> String]
    package let sample: Sample
    package let recording: Recording
    package let script: Script
    package let commandLine: CommandLine
    package let column: DocumentColumn

    /// Body of a request with the events `{"a":1}` and `2`.
    package struct Division: Sendable {
        package let body: String
        /// The body without its events; `nil` for an array.
        package let header: String?

        package init(body: String, header: String? = nil) {
            self.body = body
            self.header = header
        }
    }

    /// Event with the values that a list shows of it, as `label=value`.
    package struct Summary: Sendable {
        package let event: String
        package let values: [String]
    }

    /// Events as a server receives them.
    package struct Sample: Sendable {
        /// Name of the events in the collector and in messages.
        package let name: String
        /// Header of a batch; `nil` for a format without batches.
        package var header: String?
        /// Returns an event without findings.
        package let event: @Sendable (_ id: String, _ milliseconds: Int64) -> String
        /// Part of the event, and its replacement with which the event has the finding ``flaw``.
        package let change: (old: String, new: String)
        /// Code of the finding without the name of the format.
        package let flaw: String
        /// Condition of `--where` that the event meets.
        package let condition: String
        /// Values of the event in a line for people.
        package let line: [String]
    }

    /// Events that an app records.
    package struct Recording: Sendable {
        /// Names of the events of a launch.
        package var launch: [String] = []
        /// True if each touch gesture is an event.
        package var hasTouches = false
        /// Returns an encoder of captured events, which is `nil` for events that the format does not have.
        package let encoder: @Sendable () -> (CapturedEvent) -> [UInt8]?
        /// Names of the events of random input.
        package let names: [String]
        /// Findings that random input may have: the codes without the name of the format.
        package let findings: Set<String>
        /// Texts of a click on the button `Buy` and a touch by the user `carl`.
        package let texts: [String]
        /// Texts that the format does not record.
        package let hidden: [String]
    }

    /// Events of replay scripts.
    package struct Script: Sendable {
        /// The format's mapping in a configuration.
        package let settings: String
        /// Names of the events of a page that is shown, touched and clicked before the app is hidden.
        package let visit: [String]
        /// Names of the events of two screens without a user interface before the app is hidden.
        package let screens: [String]
        /// First characters of each request body of the visit.
        package let body: String
    }

    /// Input and output of the command line.
    package struct CommandLine: Sendable {
        /// Parts of generated events, one of each kind.
        package let generated: [String]
        /// Kinds of bodies of Tests/Performance/Collector/hostile_bodies.py for the format, without its name.
        package let hostileBodies: [String]
        /// Those that take little time in a debug build.
        package let shortHostileBodies: [String]
        /// Variable of the environment, its invalid value, and the beginning of the problem that `doctor` reports.
        package let invalidVariable: (name: String, value: String, problem: String)
    }
}

extension FormatFixture: CustomStringConvertible {
    package var description: String { name }
}

// MARK: - Events

extension FormatFixture {
    /// Returns the name of an event, or the text of its number.
    package func name(of event: JSONValue) -> String? {
        event[nameMember].flatMap { $0.string ?? $0.integer.map { "\($0)" } }
    }

    /// Returns an event without findings.
    package func event(_ number: Int, at milliseconds: Int64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        let id = "FD8AF18C-B0EA-430A-A701-" + String(repeating: "0", count: 12 - digits.count) + digits
        return sample.event(id, milliseconds)
    }

    /// Returns an event with the finding of the sample.
    package func flawedEvent(_ number: Int, at milliseconds: Int64) -> String {
        event(number, at: milliseconds).replacing(sample.change.old, with: sample.change.new)
    }

    /// Returns a request body.
    package func body(_ events: [String]) -> String {
        let list = "[\(events.joined(separator: ","))]"
        guard let header = sample.header, let batch = format.batch else { return list }
        return header.dropLast() + ",\"\(batch.events)\":\(list)}"
    }
}

extension CapturedFormat {
    /// The formats in which an app with automatic capture records.
    package static let recorded = [clickstream] + ofCapture

    /// Returns the events of a request body.
    package func events(of body: JSONValue) -> [JSONValue] {
        (batch.flatMap { body[$0.events] } ?? body).array ?? []
    }
}
