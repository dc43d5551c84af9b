package import ClickstreamCapture
package import ClickstreamCore

/// A valid replay script: a user's actions in an app over time.
///
/// Contains everything needed to run it; ``Replayer`` runs it. In a script of ``ScriptReader`` the order of steps is
/// valid: a process runs where one is needed.
package struct Script: Sendable, Equatable {
    /// The format version that this code reads.
    package static let version = 1

    /// Seed of all ids of a run, together with ``appID``.
    package var seed: UInt64
    /// The wall clock at the first step; `nil`: chosen by the caller.
    package var start: Timestamp?
    package var timeZone: ZoneOffset
    /// Facts that apply from the first launch on.
    package var facts: LaunchFacts
    /// The pages of the app by their class; `nil` for an app without a user interface.
    package var pages: [String: ScriptedPage]?
    package var steps: [Step]

    package init(
        seed: UInt64 = 1,
        start: Timestamp? = nil,
        timeZone: ZoneOffset = .utc,
        facts: LaunchFacts = LaunchFacts(),
        pages: [String: ScriptedPage]? = nil,
        steps: [Step]
    ) {
        self.seed = seed
        self.start = start
        self.timeZone = timeZone
        self.facts = facts
        self.pages = pages
        self.steps = steps
    }

    /// The app id of the first launch.
    package var appID: String {
        var facts = facts
        if case .launch(let others)? = steps.first?.action { facts = facts.overlaid(with: others) }
        var configuration = ClickstreamClient.Configuration(appID: Replayer.defaultAppID)
        for entry in facts.configuration { entry.apply(to: &configuration) }
        return configuration.appID
    }
}

/// One step of a script, with its position in the file.
///
/// Steps are equal if their actions are; words and positions do not count.
package struct Step: Sendable {
    package var action: Action
    /// First word of the step in the file; empty for a step that was not read.
    var word: String
    package var position: SourcePosition

    package init(_ action: Action) {
        self.init(action, "", at: SourcePosition(line: 1, column: 1))
    }

    init(_ action: Action, _ word: String, at position: SourcePosition) {
        self.action = action
        self.word = word
        self.position = position
    }

    /// Action of a step: that of one ``Verb``.
    package enum Action: Sendable, Hashable {
        /// A new process begins; the facts override earlier ones.
        case launch(LaunchFacts)
        case foreground
        case background
        /// The process terminates normally.
        case terminate
        /// The process ends without a lifecycle call, as with `kill -9`.
        case kill
        case crash(message: String, stack: String)
        /// Advances the clock by nonnegative milliseconds.
        case wait(Int64)
        /// Suspends the machine for nonnegative milliseconds.
        case sleep(Int64)
        case clock(ClockChange)
        /// A screen appears automatically, as with `viewDidAppear`.
        case screen(name: String, id: String?, uniqueID: String?, variables: [CustomVariable] = [])
        case record(name: String, attributes: Attributes, items: [Attributes])
        /// `nil` logs out.
        case userID(String?)
        case addUserAttributes(Attributes)
        case addGlobalAttributes(Attributes)
        case deleteGlobalAttributes([String])
        /// - autoEvents: further types to enable.
        case configure([ConfigurationEntry], autoEvents: [AutoEventType] = [])
        case enable
        case disable
        /// A person decides on purposes; each decision with its purposes, in written order.
        case consent([ConsentStep])
        case flush
        case network(NetworkChange)
        case input(Input)
        case report(Report)
        indirect case `repeat`(times: Int, steps: [Step])
    }

    /// Decision on one purpose.
    package struct ConsentStep: Sendable, Hashable {
        package var purpose: ConsentPurpose
        package var decision: ConsentDecision

        package init(_ purpose: ConsentPurpose, _ decision: ConsentDecision) {
            self.purpose = purpose
            self.decision = decision
        }
    }

    /// Change of the wall clock.
    package enum ClockChange: Sendable, Hashable {
        /// Moves the clock by milliseconds; negative values move it back.
        case by(Int64)
        case to(Timestamp)
    }

    /// Network state reported by the device.
    package enum NetworkChange: String, Sendable, Hashable, CaseIterable {
        /// No network: the type is unknown and nothing can be sent.
        case offline
        /// The network is available again, with the previous type.
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
