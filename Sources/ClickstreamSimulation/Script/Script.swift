package import ClickstreamCore

/// What a person does with an app over time, written down: the replay script, read and found to be in order.
///
/// A value that says everything needed to run it; running it is the replayer's work. Whoever made it by
/// ``ScriptReader`` may rely on the order of its steps: a process lives where one is needed.
package struct Script: Sendable, Hashable {
    /// The format version that this code reads.
    package static let version = 1

    /// Every id of a run derives from it.
    package var seed: UInt64
    /// The wall clock at the first step; `nil`: whoever runs it chooses.
    package var start: Timestamp?
    package var timeZone: ZoneOffset
    /// What holds from the first launch on.
    package var facts: LaunchFacts
    package var steps: [Step]

    package init(
        seed: UInt64 = 1,
        start: Timestamp? = nil,
        timeZone: ZoneOffset = .utc,
        facts: LaunchFacts = LaunchFacts(),
        steps: [Step]
    ) {
        self.seed = seed
        self.start = start
        self.timeZone = timeZone
        self.facts = facts
        self.steps = steps
    }
}

/// One step of a script, with its place in the file.
///
/// Two steps are equal when they say the same; where they stand does not count.
package struct Step: Sendable {
    package var action: Action
    package var position: SourcePosition

    package init(_ action: Action, at position: SourcePosition = SourcePosition(line: 1, column: 1)) {
        self.action = action
        self.position = position
    }

    /// What a step does; each case is one word of the format.
    package enum Action: Sendable, Hashable {
        /// A new process begins; the facts are laid over those that held before.
        case launch(LaunchFacts)
        case foreground
        case background
        /// The process ends in good order.
        case terminate
        /// The process disappears without a call.
        case kill
        case crash(message: String, stack: String)
        /// Time passes: milliseconds, never negative.
        case wait(Int64)
        case clock(ClockChange)
        /// A screen appears by itself, as `viewDidAppear` tells it.
        case screen(name: String, id: String?, uniqueID: String?)
        case record(name: String, attributes: Attributes, items: [Attributes])
        /// `nil` logs out.
        case userID(String?)
        case addUserAttributes(Attributes)
        case addGlobalAttributes(Attributes)
        case deleteGlobalAttributes([String])
        case configure([ConfigurationEntry])
        case enable
        case disable
        case flush
        case network(NetworkChange)
        indirect case `repeat`(times: Int, steps: [Step])
    }

    /// What a person does to the wall clock.
    package enum ClockChange: Sendable, Hashable {
        /// It is moved by so many milliseconds, back when negative.
        case by(Int64)
        case to(Timestamp)
    }

    /// What the device reports about its network.
    package enum NetworkChange: String, Sendable, Hashable, CaseIterable {
        /// There is none: the type is unknown and nothing can be sent.
        case offline
        /// There is one again, of the type known before.
        case online
        case wifi = "WIFI"
        case mobile = "Mobile"
        case unknown = "UNKNOWN"
    }
}

extension Step: Hashable {
    package static func == (left: Step, right: Step) -> Bool {
        left.action == right.action
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(action)
    }
}
