import ClickstreamCore

/// One event on the wire, as predicted by the second opinion.
struct Sighting: Sendable {
    /// Expected value of an attribute.
    enum Value: Sendable, Hashable {
        case text(String)
        case whole(Int64)
        case flag(Bool)
        case real(Double)
        /// The id of the session that one of the store's users started at a time.
        case sessionID(Stretch)
        /// The unique id that derives from a screen's name: the same for the same name, another for another.
        case derived(from: String)
        /// Some text: how a message is worded is not the lifecycle's matter.
        case words
    }

    /// One attribute of the user with the moment at which it was set.
    struct Trait: Sendable, Hashable {
        var value: Value
        var set: Int64
    }

    var name: String
    var time: Int64
    var attributes: [String: Value]
    var user: [String: Trait]
    /// Which of the store's users, in the order of their coming.
    var person: Int
    var appVersion: String
    var items: [String] = []

    /// Place of the event in the history: its step, and its number among the events of the step.
    var position = Position(step: 0, number: 0)

    struct Position: Sendable, Hashable {
        var step: Int
        var number: Int
    }

    subscript(attribute: String) -> Value? { attributes[attribute] }
}

/// Session of the second opinion: its user and start.
struct Stretch: Sendable, Hashable {
    var number: Int64
    var person: Int
    var start: Int64
    /// The steady clock at the start, and the launch that it was started in.
    var steady: Int64
    var launch: Int
}
