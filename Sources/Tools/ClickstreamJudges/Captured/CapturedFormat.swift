package import ClickstreamCore

/// Wire format of events: its name, the shape of a body, the checks of an event, and the values that lists show.
///
/// Each format has a folder with its description, fields and rules. ``allCases`` registers them: the collector, the
/// documents and the command line read the descriptions, and have no other list of formats. Two descriptions with the same
/// name are equal.
package struct CapturedFormat: Sendable {
    /// Name of the queue, of the option `--form` and of the parameter `form`.
    package var name: FormatName
    /// Name in texts.
    package var title: String
    /// The list of the collector that contains the events.
    package var list: EventList
    /// The shape of a request's body.
    package var body: Body
    /// The member of an event with its identifier.
    package var id: String
    /// The member of an event with its time.
    package var time: TimeMember
    /// Path in an element of a list to the user of an event; `nil` if it is found as in the clickstream format.
    package var user: [String]?
    /// Members by which an event is recognized as one of this format; none for the clickstream format.
    package var marks: [String] = []
    /// The member of an event with its session; `nil` if it is found as in the clickstream format.
    package var session: String?
    /// The main values of an event.
    package var summary: Summary
    /// Makes the phrase of an event: what happened, and on what; `nil` if the event does not have one.
    package var phrase: @Sendable (EventMembers) -> Phrase?
    /// Makes the format of the queue of an app that captures; `nil` for the queues of other modules.
    package var queue: (@Sendable () -> any WireFormat)?
    /// True if a client that records in this format draws identifiers for it, on which later identifiers depend.
    package var drawsIDs = false
    /// The rules of ``judge``, in the order of the documents. Their codes begin with the name of the format.
    package var rules: [CapturedRule] = []
    /// Derives the identity of an event from its identifier; `nil` if the identity is the identifier and the time.
    var identity: (@Sendable (String?) -> Identity)?
    /// Judges an event and returns its name, empty without a usable one; `nil` for the clickstream format, which
    /// ``WireJudge`` judges.
    var judge: (@Sendable (inout CapturedJudge, JSONValue) -> String)?

    /// List of events at the collector. The raw value is its path below `/api`; of captured and audit events also the name
    /// of their entries in the stream.
    package enum EventList: String, Sendable, Hashable, CaseIterable {
        case events
        case captured
        case audit
    }

    /// Shape of a request's body.
    package enum Body: Sendable {
        /// A JSON array of events, or base64 of its gzip.
        case encodedArray
        /// A JSON array of events.
        case array
        /// A JSON object with events and what they have in common.
        case batch(Batch)
    }

    /// Shape of a batch.
    package struct Batch: Sendable {
        /// The member with the array of events. The others are the header.
        package let events: String
        let header: CapturedObject
        /// Maximum number of events, unless another is configured.
        let maxEvents: Int
    }

    /// Member with the time of an event.
    package enum TimeMember: Sendable, Hashable {
        /// Milliseconds since 1970.
        case milliseconds(String)
        /// An ISO 8601 date.
        case date(String)

        package var name: String {
            switch self {
            case .milliseconds(let name), .date(let name): name
            }
        }
    }

    /// The values by which duplicates are found.
    package struct Identity: Sendable, Hashable {
        var id: String?
        /// Milliseconds since 1970.
        var time: Int64?
    }
}

extension CapturedFormat: RawRepresentable, Hashable, CustomStringConvertible {
    package init?(rawValue: String) {
        guard let form = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = form
    }

    package var rawValue: String { name.rawValue }
    package var description: String { rawValue }
}

extension CapturedFormat {
    /// Path of the collector for this format.
    package var path: String { "/\(rawValue)" }

    /// The header that each event of a batch repeats.
    package var batch: Batch? {
        if case .batch(let batch) = body { return batch }
        return nil
    }

    /// Name of an event without a usable one.
    package static let unknownName = "unknown"
}
