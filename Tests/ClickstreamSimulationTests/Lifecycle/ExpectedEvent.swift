import ClickstreamCore

/// One line of a script's `# expect:` list: an event by the lifecycle's table, written by hand.
///
/// ```
/// # expect:
/// #   2@64499 _screen_view _screen_name=B _entrances=0 _previous_timestamp=@500
/// ```
///
/// First come the session's number and the milliseconds from the script's start to the event's timestamp, then the
/// name, then words in any order:
///
/// - `name=value`: an attribute; what is not listed must be absent, the session's four apart.
/// - `+A` or `+A/1`: `_screen_name`, and `_screen_unique_id` or its absence.
/// - `items=i1,i2`: the ids of the items; without it there are none.
/// - `{plan=gold@1000}`: the user's attributes with the time at which each was set, the first touch apart; without it they
///   are those of the event before.
/// - `U2`: the second unique id of the script; `touch@0`: the first touch; without them, as in the event before.
/// - `start@0`: `_session_start_timestamp`, where it differs from that of the session's event before, after a correction.
/// - `duration=0`: `_session_duration`, where it is not the time since the session's start.
///
/// A value is JSON, or bare text, or `@1500` for a time, `$n` for a text that is the same wherever `$n` occurs, `*` for
/// anything.
struct ExpectedEvent: Sendable {
    /// Expected value.
    enum Value: Sendable, Hashable {
        case exactly(JSONValue.Kind)
        case time(Int64)
        case label(String)
        case anything
    }

    struct UserValue: Sendable {
        var value: Value
        var set: Int64
    }

    /// Why a list cannot be read.
    struct ParseError: Error, CustomStringConvertible {
        var description: String
    }

    var text: String
    var session = 0
    var time: Int64 = 0
    var name = ""
    var duration: Int64?
    var start: Int64?
    var attributes: [String: Value] = [:]
    var items: [String] = []
    var user: [String: UserValue]?
    var uniqueID: Int?
    var firstTouch: Int64?

    /// Reads the list out of a script's comments.
    static func list(in script: String) throws -> [ExpectedEvent] {
        var expected: [ExpectedEvent] = []
        var isInList = false
        for line in script.split(separator: "\n") {
            if line == "# expect:" {
                isInList = true
            } else if isInList {
                guard line.hasPrefix("#   ") else { break }
                expected.append(try ExpectedEvent(String(line.dropFirst(4))))
            }
        }
        guard !expected.isEmpty else { throw ParseError(description: "the script expects nothing") }
        return expected
    }

    init(_ text: String) throws {
        self.text = text
        let words = Self.split(text, at: " ")
        guard words.count >= 2, let at = words[0].firstIndex(of: "@"), let session = Int(words[0][..<at]),
            let time = Int64(words[0][words[0].index(after: at)...])
        else { throw ParseError(description: "'\(text)' does not begin with session@time and a name") }
        self.session = session
        self.time = time
        name = words[1]
        for word in words.dropFirst(2) { try read(word) }
    }

    private mutating func read(_ word: String) throws {
        if word.hasPrefix("+") {
            let parts = word.dropFirst().split(separator: "/", maxSplits: 1)
            attributes["_screen_name"] = .exactly(.string(String(parts[0])))
            if parts.count == 2 {
                attributes["_screen_unique_id"] =
                    parts[1].hasPrefix("$") ? .label(String(parts[1].dropFirst())) : .exactly(.string(String(parts[1])))
            }
        } else if word.hasPrefix("{"), word.hasSuffix("}") {
            var map: [String: UserValue] = [:]
            for entry in Self.split(String(word.dropFirst().dropLast()), at: ",") {
                guard let (name, rest) = Self.pair(entry), let at = rest.lastIndex(of: "@"),
                    let set = Int64(rest[rest.index(after: at)...])
                else { throw ParseError(description: "'\(entry)' is no name=value@time") }
                map[name] = UserValue(value: try Self.value(String(rest[..<at])), set: set)
            }
            user = map
        } else if word.hasPrefix("start@") {
            start = Int64(word.dropFirst(6))
        } else if word.hasPrefix("touch@") {
            firstTouch = Int64(word.dropFirst(6))
        } else if word.hasPrefix("U"), let label = Int(word.dropFirst()) {
            uniqueID = label
        } else if let (name, rest) = Self.pair(word) {
            switch name {
            case "items": items = rest.split(separator: ",").map(String.init)
            case "duration": duration = Int64(rest)
            default: attributes[name] = try Self.value(rest)
            }
        } else {
            throw ParseError(description: "'\(word)' is no word of an expectation")
        }
    }

    private static func pair(_ word: String) -> (name: String, rest: String)? {
        guard let equals = word.firstIndex(of: "=") else { return nil }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func value(_ text: String) throws -> Value {
        if text == "*" { return .anything }
        if text.hasPrefix("$") { return .label(String(text.dropFirst())) }
        if text.hasPrefix("@"), let time = Int64(text.dropFirst()) { return .time(time) }
        let isJSON = text == "true" || text == "false" || text.hasPrefix("\"") || Double(text) != nil
        guard isJSON else { return .exactly(.string(text)) }
        return .exactly(try JSONReader.parse(Array(text.utf8)).kind)
    }

    /// Parts between separators outside of quotation marks and braces.
    private static func split(_ text: String, at separator: Character) -> [String] {
        var parts: [String] = []
        var part = ""
        var (isQuoted, isEscaped, depth) = (false, false, 0)
        for character in text {
            if character == separator, !isQuoted, depth == 0 {
                if !part.isEmpty { parts.append(part) }
                part = ""
                continue
            }
            part.append(character)
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = isQuoted
            } else if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted {
                if character == "{" { depth += 1 }
                if character == "}" { depth -= 1 }
            }
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }
}
