import ClickstreamCore
import ClickstreamJudges

/// Range of a text in the bytes of an upload's content.
struct TextRange: Sendable, Hashable {
    private var start: Int32
    private var length: Int32

    static let none = TextRange(start: 0, length: -1)

    private init(start: Int32, length: Int32) {
        self.start = start
        self.length = length
    }

    /// - Precondition: fewer than 2 GiB, which no body inflates to.
    init(_ range: Range<Int>) {
        start = Int32(range.lowerBound)
        length = Int32(range.count)
    }

    var isNone: Bool { length < 0 }
    var range: Range<Int> { isNone ? 0..<0 : Int(start)..<Int(start) + Int(length) }
}

/// Queryable fields and findings of one event, as ranges of the text.
struct EventFacts: Sendable, Hashable {
    /// The event's JSON text.
    var json: TextRange
    var id = TextRange.none
    var appID = TextRange.none
    var name = TextRange.none
    var sessionID = TextRange.none
    var uniqueID = TextRange.none
    var userID = TextRange.none
    var screenName = TextRange.none
    var screenUniqueID = TextRange.none
    var deviceID = TextRange.none
    var platform = TextRange.none
    var appVersion = TextRange.none
    var timestamp: Int64?
    var sessionNumber: Int64?
    var sessionStart: Int64?
    var engagement: Int64?
    /// True if the event reports an error or a crash of its app.
    var reportsError = false
    var isBad = false
    var indexes = Indexes()
    var findings: [WireFinding] = []
    /// Number of findings that are not listed in ``findings``.
    var unlisted = 0

    /// Indexes of the event's texts in the lists of the content; -1 for none.
    struct Indexes: Sendable, Hashable {
        var name: Int32 = -1
        var session: Int32 = -1
        /// Index of the unique id.
        var user: Int32 = -1
        var userID: Int32 = -1
        var app: Int32 = -1
        var device: Int32 = -1
        var platform: Int32 = -1
        var version: Int32 = -1
        var screen: Int32 = -1
    }
}

/// Decoded content of a body.
struct UploadContent: Sendable, Hashable {
    /// Reason why the body could not be decoded; `nil` if it was.
    var flaw: ReceivedUpload.Flaw?
    /// JSON text, with the texts of ``events`` unescaped in place.
    var bytes: [UInt8] = []
    /// In the order of the body.
    var events: [EventFacts] = []
    /// Events of a captured format, instead of ``events``.
    var captured: [CapturedFacts] = []
    /// Header of a batch; `nil` for other bodies.
    var header: CapturedHeader?
    /// Distinct values among the events.
    var sessions = DistinctTexts<Session>()
    var users = DistinctTexts<TextRange>()
    var names = DistinctTexts<TextRange>()
    var userIDs = DistinctTexts<TextRange>()
    var apps = DistinctTexts<TextRange>()
    var devices = DistinctTexts<TextRange>()
    var platforms = DistinctTexts<TextRange>()
    var versions = DistinctTexts<TextRange>()
    var screens = DistinctTexts<TextRange>()
    /// Bytes of the JSON text, or of the body if there is none.
    var rawBytes: Int
    /// True if `hashCode` matches the body; `nil` if it was not sent.
    var hashMatches: Bool?

    struct Session: Sendable, Hashable {
        var id: TextRange
        var appID: TextRange
    }

    /// Number of events of either kind.
    var eventCount: Int { events.count + captured.count }

    /// Adds an event, and its new distinct values.
    mutating func append(_ event: EventFacts) {
        var event = event
        event.findings = event.findings.shared(with: events.last?.findings)
        bytes.withUnsafeBytes { bytes in
            event.indexes.name = names.index(ofText: event.name, in: bytes)
            event.indexes.user = users.index(ofText: event.uniqueID, in: bytes)
            event.indexes.userID = userIDs.index(ofText: event.userID, in: bytes)
            event.indexes.app = apps.index(ofText: event.appID, in: bytes)
            event.indexes.device = devices.index(ofText: event.deviceID, in: bytes)
            event.indexes.platform = platforms.index(ofText: event.platform, in: bytes)
            event.indexes.version = versions.index(ofText: event.appVersion, in: bytes)
            event.indexes.screen = screens.index(ofText: event.screenName, in: bytes)
            if !event.sessionID.isNone {
                let session = Session(id: event.sessionID, appID: event.appID)
                event.indexes.session = sessions.index(of: session, in: bytes)
            }
        }
        events.append(event)
    }

    /// Facts of an event that was parsed as a JSON value. Its texts overwrite their escaped form in the JSON text, which is
    /// not needed any more; an unescaped text is never longer.
    mutating func facts(of event: JudgedEvent, json: TextRange) -> EventFacts {
        var facts = EventFacts(json: json)
        func put(_ text: JudgedEvent.Text?) -> TextRange {
            guard var text else { return .none }
            let start = json.range.lowerBound + text.offset
            return text.text.withUTF8 { source in
                let range = start..<start + source.count
                guard range.upperBound <= json.range.upperBound else { return .none }
                bytes.withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[range]).copyMemory(from: UnsafeRawBufferPointer(source))
                }
                return TextRange(range)
            }
        }
        facts.id = put(event.id)
        facts.appID = put(event.appID)
        facts.name = put(event.name)
        facts.sessionID = put(event.sessionID)
        facts.uniqueID = put(event.uniqueID)
        facts.userID = put(event.userID)
        facts.screenName = put(event.screenName)
        facts.screenUniqueID = put(event.screenUniqueID)
        facts.deviceID = put(event.deviceID)
        facts.platform = put(event.platform)
        facts.appVersion = put(event.appVersion)
        facts.timestamp = event.timestamp
        facts.sessionNumber = event.sessionNumber
        facts.sessionStart = event.sessionStart
        facts.engagement = event.engagement
        facts.reportsError = event.reportsError
        facts.isBad = event.isBad
        facts.findings = event.findings
        facts.unlisted = event.unlisted
        return facts
    }

    /// Upper bound for the memory of the content of a body, in bytes.
    static func memory(bytes: Int, events: Int, findings: Int = 0) -> Int {
        // Ranges of an event, its facts, its entries in nine lists of distinct texts, and a finding.
        let event = MemoryLayout<Range<Int>>.stride + MemoryLayout<EventFacts>.stride + 9 * 24 + 400
        return bytes + events * event + findings * 400
    }

    /// Memory of this content in bytes.
    var memory: Int {
        let findings =
            events.reduce(0) { $0 + $1.findings.count } + captured.reduce(0) { $0 + $1.findings.count }
        let rows = captured.reduce(0) { $0 + ($1.audit?.rows.count ?? 0) }
        return Self.memory(bytes: bytes.count, events: eventCount, findings: findings) + rows * 128
    }
}
