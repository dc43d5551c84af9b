import ClickstreamCapture
import ClickstreamCore

/// Every word of the script format, as described in Docs/replay.schema.json.
enum Vocabulary {
    static let scriptKeys = ["clickstream", "seed", "start", "time_zone", "config", "app", "device", "ui", "steps"]
    static let appKeys = AppFacts.texts.map(\.key)
    static let deviceKeys = DeviceFacts.texts.map(\.key) + DeviceFacts.pixels.map(\.key)
    static let launchKeys = ["app", "device", "config"]
    static let crashKeys = ["message", "stack"]
    static let screenKeys = ["name", "id", "unique_id", "variables"]
    static let recordKeys = ["name", "attributes", "items"]
    static let repeatKeys = ["times", "steps"]
    static let consentKeys = ConsentPurpose.allCases.map(\.rawValue)
    static let consentValue = "a mapping with \(String.list(consentKeys, "or"))"
    static let consentWords = ConsentDecision.allCases.map(\.rawValue)
    static let networkWords = Step.NetworkChange.allCases.map(\.rawValue)

    // MARK: Automatic capture

    /// Configuration keys of capture formats.
    static let captureFormats = ScriptedFormat.all.map(\.name)
    static let captureKeys = ["autoEvents"] + captureFormats
    /// Pulse's name of a type without auto events of its own.
    static let revenueType = "revenueTracking"
    static let autoEventTypes = AutoEventType.all.map(\.name) + [revenueType]
    static let pageKeys = [
        "name", "title", "accessibility_id", "group", "section", "container", "mask", "opt", "properties", "ids",
        "views",
    ]
    static let viewKeys = [
        "class", "kind", "name", "text", "input", "localized_key", "frame", "responds", "accessibility_id",
        "restoration_id", "tag", "group", "section", "secure", "mask", "opt", "properties", "ids", "content", "items",
        "views",
    ]
    static let viewItemsKeys = ["height", "width", "data", "event_data"]
    static let kinds = ElementType.allCases.map(\.rawValue)
    static let scrollKeys = ["view", "to", "in"]
    static let gestureTypes = ["tap", "long_press", "scale", "rotate", "move"]
    static let gestureKeys = ["view", "type", "at", "fingers", "from", "to"]
    static let transactionKeys = ["value", "currency", "id"]
    static let variableKeys = ["key", "value"]
    static let revenueKeys = ["type", "properties"]
    static let revenueKinds: [(word: String, value: RevenueKind)] = [
        ("purchase", .purchase), ("refund", .refund), ("subscription", .subscription),
    ]
    static let revenueTypes = revenueKinds.map(\.word)
}

/// The first word of a step.
enum StepWord: String, Sendable, CaseIterable {
    case launch
    case foreground
    case background
    case terminate
    case kill
    case crash
    case wait
    case sleep
    case clock
    case screen
    case record
    case show
    case click
    case touch
    case scroll
    case gesture
    case transaction
    case variable
    case revenue
    case userID = "user_id"
    case user
    case global
    case deleteGlobal = "delete_global"
    case configure
    case enable
    case disable
    case consent
    case flush
    case network
    case `repeat`

    /// Value of the word, for messages; `nil` for words without one.
    var value: String? {
        switch self {
        case .launch: "a mapping with app, device or config"
        case .crash: "a message, or a mapping with message and stack"
        case .wait, .sleep: "a duration such as 1h30m"
        case .clock: "a change such as +2h, or a date"
        case .screen: "a name, or a mapping with name, id, unique_id and variables"
        case .show: "the class of a page"
        case .click: "the name of a view"
        case .touch: "a list of points and durations"
        case .scroll: "a mapping with view, to and in"
        case .gesture: "a mapping with view and type"
        case .transaction: "a mapping with value, currency and id"
        case .variable: "a mapping with key and value"
        case .revenue: "a mapping with type and properties"
        case .record: "a name, or a mapping with name, attributes and items"
        case .userID: "a string or null"
        case .user, .global: "a mapping of attributes"
        case .deleteGlobal: "a list of names"
        case .configure: "a mapping of configuration keys"
        case .consent: Vocabulary.consentValue
        case .network: Vocabulary.networkWords.joined(separator: ", ")
        case .repeat: "a mapping with times and steps"
        default: nil
        }
    }

    /// True if the word needs no value.
    var needsNoValue: Bool { value == nil || self == .launch }
}

extension StepWord {
    /// Replacement for a step with an invalid value, so that the order of the others can still be checked.
    var placeholder: Step.Action {
        switch self {
        case .launch: .launch(LaunchFacts())
        case .foreground: .foreground
        case .background: .background
        case .terminate: .terminate
        case .kill: .kill
        case .crash: .crash(message: "", stack: "")
        case .wait: .wait(0)
        case .sleep: .sleep(0)
        case .clock: .clock(.by(0))
        case .enable: .enable
        case .disable: .disable
        case .consent: .consent([])
        case .flush: .flush
        case .network: .network(.unknown)
        case .screen: .screen(name: "", id: nil, uniqueID: nil)
        // A page that does not exist: the views of the following steps cannot be checked.
        case .show: .input(.show(page: ""))
        case .click, .touch, .scroll, .gesture, .transaction, .variable, .revenue: .input(.touch([]))
        case .record: .record(name: "", attributes: [:], items: [])
        case .userID: .userID(nil)
        case .user: .addUserAttributes([:])
        case .global: .addGlobalAttributes([:])
        case .deleteGlobal: .deleteGlobalAttributes([])
        case .configure: .configure([])
        case .repeat: .repeat(times: 0, steps: [])
        }
    }
}

extension Step {
    /// The step's word in the format.
    var word: String {
        let word: StepWord
        switch action {
        case .launch: word = .launch
        case .foreground: word = .foreground
        case .background: word = .background
        case .terminate: word = .terminate
        case .kill: word = .kill
        case .crash: word = .crash
        case .wait: word = .wait
        case .sleep: word = .sleep
        case .clock: word = .clock
        case .screen: word = .screen
        case .record: word = .record
        case .userID: word = .userID
        case .addUserAttributes: word = .user
        case .addGlobalAttributes: word = .global
        case .deleteGlobalAttributes: word = .deleteGlobal
        case .configure: word = .configure
        case .enable: word = .enable
        case .disable: word = .disable
        case .consent: word = .consent
        case .flush: word = .flush
        case .network: word = .network
        case .input(.show): word = .show
        case .input(.click): word = .click
        case .input(.touch): word = .touch
        case .input(.scroll): word = .scroll
        case .input(.gesture): word = .gesture
        case .input(.transaction): word = .transaction
        case .input(.variable): word = .variable
        case .input(.revenue): word = .revenue
        case .repeat: word = .repeat
        }
        return word.rawValue
    }
}
