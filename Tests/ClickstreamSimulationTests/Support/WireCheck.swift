import ClickstreamCore

/// Invariants of every event on the wire, by the manual's sample and its tables and by the fields that the
/// published server reads; written down apart from the library's own rules.
enum WireCheck {
    private enum Form {
        case text
        case integer
        case boolean
    }

    /// The manual's common attributes: name, form.
    private static let common: [String: Form] = [
        "app_id": .text, "app_package_name": .text, "app_title": .text, "app_version": .text, "brand": .text,
        "carrier": .text, "country_code": .text, "device_id": .text, "device_unique_id": .text, "event_id": .text,
        "event_type": .text, "locale": .text, "make": .text, "model": .text, "network_type": .text,
        "os_version": .text, "platform": .text, "screen_height": .integer, "screen_width": .integer,
        "sdk_name": .text, "sdk_version": .text, "system_language": .text, "timestamp": .integer,
        "unique_id": .text, "zone_offset": .integer,
    ]

    /// Attributes with a fixed meaning: name, form, and the events that may contain them (none: all).
    private static let known: [String: (form: Form, events: Set<String>)] = [
        "_session_id": (.text, []), "_session_start_timestamp": (.integer, []), "_session_duration": (.integer, []),
        "_session_number": (.integer, []), "_screen_name": (.text, []), "_screen_unique_id": (.text, []),
        "_screen_id": (.text, ["_screen_view"]), "_previous_screen_name": (.text, ["_screen_view"]),
        "_previous_screen_id": (.text, ["_screen_view"]), "_previous_screen_unique_id": (.text, ["_screen_view"]),
        "_previous_timestamp": (.integer, ["_screen_view"]), "_entrances": (.integer, ["_screen_view"]),
        "_engagement_time_msec": (.integer, ["_screen_view", "_user_engagement"]),
        "_is_first_time": (.boolean, ["_app_start"]), "_exception_message": (.text, ["_app_exception"]),
        "_exception_stack": (.text, ["_app_exception"]), "_previous_app_version": (.text, ["_app_update"]),
        "_previous_os_version": (.text, ["_os_update"]), "_error_code": (.integer, []), "_error_message": (.text, []),
    ]

    private static let required: [String: [String]] = [
        "_screen_view": ["_screen_name", "_entrances"], "_user_engagement": ["_engagement_time_msec"],
        "_app_start": ["_is_first_time"], "_app_exception": ["_exception_message", "_exception_stack"],
        "_app_update": ["_previous_app_version"], "_os_update": ["_previous_os_version"],
        "_clickstream_error": ["_error_code", "_error_message"],
    ]

    private static let session = ["_session_id", "_session_start_timestamp", "_session_duration", "_session_number"]

    /// Everything that is wrong with one event's JSON.
    static func problems(of line: String) -> [String] {
        guard !line.contains("\n") else { return ["the line is broken"] }
        let event: JSONValue
        do {
            event = try JSONReader.parse(Array(line.utf8), loneSurrogates: .refused)
        } catch {
            return ["no JSON: \(error)"]
        }
        guard let members = event.members else { return ["not an object"] }
        var problems = duplicates(in: event, at: "event")
        for (name, form) in common.sorted(by: { $0.key < $1.key }) {
            guard let value = event[name] else {
                problems.append("\(name) is missing")
                continue
            }
            if !fits(value, form) { problems.append("\(name) is \(value)") }
        }
        for member in members
        where common[member.name] == nil && !["user", "items", "attributes"].contains(member.name) {
            problems.append("\(member.name) is no field of an event")
        }
        problems += identity(of: event)
        problems += user(event["user"])
        problems += attributes(event["attributes"], of: event["event_type"]?.string ?? "")
        if let items = event["items"] { problems += self.items(items) }
        return problems
    }

    private static func fits(_ value: JSONValue, _ form: Form) -> Bool {
        switch form {
        case .text: value.string != nil
        case .integer: value.integer != nil
        case .boolean: value.boolean != nil
        }
    }

    private static func duplicates(in value: JSONValue, at path: String) -> [String] {
        var problems: [String] = []
        var names: Set<String> = []
        for member in value.members ?? [] {
            if !names.insert(member.name).inserted { problems.append("\(path) has \(member.name) twice") }
            problems += duplicates(in: member.value, at: "\(path).\(member.name)")
        }
        for element in value.array ?? [] { problems += duplicates(in: element, at: path) }
        return problems
    }

    private static func identity(of event: JSONValue) -> [String] {
        var problems: [String] = []
        func check(_ name: String, _ isRight: (String) -> Bool) {
            if let text = event[name]?.string, !isRight(text) { problems.append("\(name) is '\(text)'") }
        }
        check("event_id", isUUID)
        check("unique_id", isUUID)
        check("device_id") { !$0.isEmpty }
        check("event_type", isName)
        check("app_id") { !$0.isEmpty }
        check("sdk_name") { $0 == "aws-solution-clickstream-sdk" }
        check("sdk_version") { $0.split(separator: ".").count == 3 }
        check("network_type") { ["WIFI", "Mobile", "UNKNOWN"].contains($0) }
        check("platform") { !$0.isEmpty }
        if let time = event["timestamp"]?.integer, time <= 0 { problems.append("timestamp is \(time)") }
        if let offset = event["zone_offset"]?.integer, abs(offset) > 50_400_000 || offset % 60_000 != 0 {
            problems.append("zone_offset is \(offset)")
        }
        return problems
    }

    private static func user(_ user: JSONValue?) -> [String] {
        guard let members = user?.members else { return ["user is no object"] }
        var problems: [String] = []
        if user?["_user_first_touch_timestamp"] == nil { problems.append("the first touch is missing") }
        for member in members {
            guard let value = member.value["value"], member.value["set_timestamp"]?.integer != nil,
                member.value.members?.count == 2
            else {
                problems.append("user's \(member.name) is \(member.value)")
                continue
            }
            let isRight: Bool
            switch member.name {
            // An age that is no whole number makes the published server throw the event away.
            case "_user_first_touch_timestamp", "_user_age": isRight = value.integer != nil
            case "_user_id": isRight = value.string?.isEmpty == false
            default: isRight = isScalar(value)
            }
            if !isRight || !isName(member.name) { problems.append("user's \(member.name) is \(value)") }
            if let text = value.string, text.unicodeScalars.count > 256 {
                problems.append("user's \(member.name) is long")
            }
        }
        return problems
    }

    private static func attributes(_ attributes: JSONValue?, of event: String) -> [String] {
        guard let members = attributes?.members else { return ["attributes is no object"] }
        var problems: [String] = []
        for name in session + (required[event] ?? []) where attributes?[name] == nil {
            problems.append("\(name) is missing in \(event)")
        }
        for member in members {
            let (name, value) = (member.name, member.value)
            if !isScalar(value) || !isName(name) { problems.append("\(name) is \(value)") }
            if let known = known[name] {
                if !fits(value, known.form) { problems.append("\(name) is \(value)") }
                if !known.events.isEmpty, !known.events.contains(event) {
                    problems.append("\(name) stands in \(event)")
                }
            }
            let longest = name == "_error_message" ? 256 : name == "_exception_stack" ? 65_535 : 1_024
            if let text = value.string, text.unicodeScalars.count > longest { problems.append("\(name) is long") }
        }
        if members.count(where: { !$0.name.hasPrefix("_error_") }) > 500 { problems.append("too many attributes") }
        func check(_ name: String, _ isRight: (Int64) -> Bool) {
            if let number = attributes?[name]?.integer, !isRight(number) { problems.append("\(name) is \(number)") }
        }
        check("_session_duration") { $0 >= 0 }
        check("_session_number") { $0 >= 1 }
        check("_session_start_timestamp") { $0 > 0 }
        check("_entrances") { $0 == 0 || $0 == 1 }
        check("_engagement_time_msec") { $0 >= (event == "_user_engagement" ? 1_000 : 1) }
        check("_error_code") { (1_001...5_001).contains($0) }
        if (attributes?["_error_code"] == nil) != (attributes?["_error_message"] == nil) {
            problems.append("an error has a code and a message")
        }
        if let id = attributes?["_session_id"]?.string, !isSessionID(id) { problems.append("_session_id is \(id)") }
        return problems
    }

    private static func items(_ items: JSONValue) -> [String] {
        guard let elements = items.array, (1...100).contains(elements.count) else {
            return ["items are \(items.kindDescription)"]
        }
        var problems: [String] = []
        for element in elements {
            guard let members = element.members else {
                problems.append("an item is \(element)")
                continue
            }
            if element["id"]?.string?.isEmpty ?? (element["id"]?.number == nil) { problems.append("an item has no id") }
            for member in members where !isScalar(member.value) || !isName(member.name) {
                problems.append("an item's \(member.name) is \(member.value)")
            }
            for name in ["price", "quantity"] where element[name] != nil && element[name]?.number == nil {
                problems.append("an item's \(name) is no number")
            }
            for member in members where member.name.hasPrefix("item_category") {
                problems.append("nobody reads \(member.name)")
            }
        }
        return problems
    }

    // MARK: Forms

    private static func isScalar(_ value: JSONValue) -> Bool {
        switch value.kind {
        case .string, .boolean: true
        case .number(let number): number.double.isFinite
        case .null, .array, .object: false
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard (1...50).contains(text.utf8.count), let first = text.utf8.first else { return false }
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isWord && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
    }

    /// `91DA4BBE-933F-4DFA-A489-8AEFBC7A06D8`: capitals, of version 4.
    private static func isUUID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts[2].hasPrefix("4")
            && text.allSatisfy { $0 == "-" || "0123456789ABCDEF".contains($0) }
    }

    /// `0E6614B7-20230526-062238846`
    private static func isSessionID(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 8, 9] && parts.dropFirst().joined().allSatisfy { ("0"..."9").contains($0) }
    }
}
