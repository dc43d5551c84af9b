import ClickstreamCore
import Foundation

/// Compares recorded events with a script's expectations, and reports every difference.
struct LifecycleCheck {
    private static let sessionNames: Set<String> = [
        "_session_id", "_session_start_timestamp", "_session_duration", "_session_number",
    ]

    /// A session as its first event showed it.
    private struct Session: Equatable {
        var id: String
        var start: Int64
    }

    private let start: Int64
    private(set) var differences: [String] = []
    private var sessions: [Int: Session] = [:]
    private var labels: [String: String] = [:]
    private var uniqueIDs: [Int: String] = [:]
    private var user: [String: ExpectedEvent.UserValue] = [:]
    private var uniqueID = 1
    private var firstTouch: Int64 = 0

    /// - Parameter start: the wall clock at the script's first step.
    init(start: Timestamp) {
        self.start = start.milliseconds
    }

    /// Every difference between the recorded lines and the expected events.
    static func differences(_ lines: [String], _ expected: [ExpectedEvent], start: Timestamp) throws -> [String] {
        var check = LifecycleCheck(start: start)
        let events = try lines.map { try JSONReader.parse(Array($0.utf8)) }
        for (event, expected) in zip(events, expected) { check.compare(event, expected) }
        for event in events.dropFirst(expected.count) {
            check.differences.append(
                "not expected: \(event["event_type"]?.string ?? "?") \(event["attributes"] ?? event)"
            )
        }
        for missing in expected.dropFirst(events.count) { check.differences.append("missing: \(missing.text)") }
        return check.differences
    }

    private mutating func compare(_ event: JSONValue, _ expected: ExpectedEvent) {
        let before = differences.count
        let members = event["attributes"]?.members ?? []
        let attributes = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        require("event_type", event["event_type"]?.string, expected.name)
        require("timestamp", event["timestamp"]?.integer.map { $0 - start }, expected.time)
        user = expected.user ?? user
        uniqueID = expected.uniqueID ?? uniqueID
        firstTouch = expected.firstTouch ?? firstTouch
        compareSession(event, attributes, expected)
        compareUser(event)
        var absent = Set(expected.attributes.keys)
        for (name, value) in attributes where !Self.sessionNames.contains(name) {
            absent.remove(name)
            guard let wanted = expected.attributes[name] else {
                differences.append("\(name) must be absent, is \(value)")
                continue
            }
            compare(name, value, wanted)
        }
        for name in absent.sorted() { differences.append("\(name) is absent") }
        let items = event["items"]?.array?.map { $0["id"]?.string ?? "?" }
        require("items", items ?? [], expected.items)
        if items?.isEmpty == true { differences.append("items is empty, should be absent") }
        if differences.count > before {
            differences[before] = "in '\(expected.text.prefix(120))': \(differences[before])"
        }
    }

    private mutating func compareSession(
        _ event: JSONValue,
        _ attributes: [String: JSONValue],
        _ expected: ExpectedEvent
    ) {
        let timestamp = event["timestamp"]?.integer ?? 0
        require("_session_number", attributes["_session_number"]?.integer, Int64(expected.session))
        let session = Session(
            id: attributes["_session_id"]?.string ?? "?",
            start: attributes["_session_start_timestamp"]?.integer ?? -1
        )
        if let corrected = expected.start { sessions[expected.session]?.start = start + corrected }
        if let known = sessions[expected.session] {
            require("the session", session, known)
        } else {
            // A session starts with its first event, and is named after its user and that moment.
            let owner = String((event["unique_id"]?.string ?? "").suffix(8))
            require("the session", session, Session(id: "\(owner)-\(Self.date(timestamp))", start: timestamp))
            if sessions.values.contains(where: { $0.id == session.id }), expected.time != 0 {
                differences.append("the session id \(session.id) is given twice")
            }
            sessions[expected.session] = session
        }
        require(
            "_session_duration",
            attributes["_session_duration"]?.integer,
            expected.duration ?? timestamp - session.start
        )
    }

    private mutating func compareUser(_ event: JSONValue) {
        let id = event["unique_id"]?.string ?? "?"
        if let known = uniqueIDs[uniqueID] {
            require("unique_id", id, known)
        } else {
            if uniqueIDs.values.contains(id) { differences.append("unique_id is an earlier user's") }
            uniqueIDs[uniqueID] = id
        }
        var left = user
        for member in event["user"]?.members ?? [] {
            let value = member.value["value"] ?? JSONValue(.null)
            let set = member.value["set_timestamp"]?.integer.map { $0 - start }
            if member.name == "_user_first_touch_timestamp" {
                require("first touch", value.integer.map { $0 - start }, firstTouch)
                require("first touch's set_timestamp", set, firstTouch)
            } else if let wanted = left.removeValue(forKey: member.name) {
                compare("user's \(member.name)", value, wanted.value)
                require("user's \(member.name)'s set_timestamp", set, wanted.set)
            } else {
                differences.append("user's \(member.name) must be absent")
            }
        }
        for name in left.keys.sorted() { differences.append("user's \(name) is absent") }
    }

    private mutating func compare(_ name: String, _ value: JSONValue, _ wanted: ExpectedEvent.Value) {
        switch wanted {
        case .anything:
            break
        case .exactly(let kind):
            require(name, value, JSONValue(kind))
        case .time(let time):
            require(name, value.integer.map { $0 - start }, time)
        case .label(let label):
            guard let text = value.string, !text.isEmpty else {
                differences.append("\(name) is \(value), should be a text")
                return
            }
            if let known = labels[label] {
                require(name, text, known)
            } else {
                if labels.values.contains(text) { differences.append("\(name) is not \(label)'s own: \(text)") }
                labels[label] = text
            }
        }
    }

    private mutating func require<T: Equatable>(_ what: String, _ actual: T?, _ wanted: T) {
        guard actual != wanted else { return }
        let found = actual.map { "\($0)" } ?? "absent"
        differences.append("\(what) is \(found.prefix(200)), should be \("\(wanted)".prefix(200))")
    }

    /// `20230905-131926703`, by Foundation rather than by the library.
    private static func date(_ milliseconds: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let seconds = formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds / 1_000)))
        return seconds + String(format: "%03d", Int(milliseconds % 1_000))
    }
}
