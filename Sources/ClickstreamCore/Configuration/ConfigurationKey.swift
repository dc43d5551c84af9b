/// One key of a configuration as people write it: in a script, in amplifyconfiguration.json, in the environment.
///
/// ``all`` is the one table of them; whatever reads a configuration goes through it.
package struct ConfigurationKey: Sendable {
    /// The name that the documentation uses.
    package let name: String
    /// Other names that mean the same.
    package let aliases: [String]
    package let form: Form

    /// What a key takes, and where it goes.
    package enum Form: Sendable {
        case boolean(any WritableKeyPath<Configuration, Bool> & Sendable)
        case text(any WritableKeyPath<Configuration, String> & Sendable)
        case optionalText(any WritableKeyPath<Configuration, String?> & Sendable)
        /// Whole milliseconds, not less than the minimum.
        case milliseconds(any WritableKeyPath<Configuration, Int64> & Sendable, minimum: Int64)
        case optionalMilliseconds(any WritableKeyPath<Configuration, Int64?> & Sendable)
        /// A whole number, at least 1.
        case count(any WritableKeyPath<Configuration, Int> & Sendable)
        case optionalCount(any WritableKeyPath<Configuration, Int?> & Sendable)
        case attributes
        case durability
    }

    /// What somebody wrote for a key, before it is known to fit.
    package enum Value: Sendable, Hashable {
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case attributes(Attributes)
        /// Says "as if I were not here".
        case null
        /// Something that fits no key, in words: `a list`, `the number 1.5`.
        case unfit(String)
    }

    private init(_ name: String, aliases: [String] = [], _ form: Form) {
        self.name = name
        self.aliases = aliases
        self.form = form
    }

    /// Every key, in the order of the documentation.
    package static let all: [ConfigurationKey] = [
        ConfigurationKey("appId", .text(\.appID)),
        ConfigurationKey("endpoint", .text(\.endpoint)),
        ConfigurationKey("isCompressEvents", .boolean(\.compressesEvents)),
        ConfigurationKey(
            "autoFlushEventsInterval",
            aliases: ["sendEventsInterval"],
            .milliseconds(\.sendInterval, minimum: 0)
        ),
        ConfigurationKey("isTrackAppExceptionEvents", .boolean(\.tracksExceptions)),
        ConfigurationKey("isTrackScreenViewEvents", .boolean(\.tracksScreenViews)),
        ConfigurationKey("isTrackUserEngagementEvents", .boolean(\.tracksUserEngagement)),
        ConfigurationKey("isLogEvents", .boolean(\.logsEvents)),
        ConfigurationKey("sessionTimeoutDuration", .milliseconds(\.sessionTimeout, minimum: 0)),
        ConfigurationKey("authCookie", .optionalText(\.authCookie)),
        ConfigurationKey("globalAttributes", .attributes),
        ConfigurationKey("userAttributesInEveryEvent", .boolean(\.sendsUserAttributesInEveryEvent)),
        ConfigurationKey("storageDirectory", .optionalText(\.storageFolder)),
        ConfigurationKey("maxStoreBytes", .count(\.maxStoreBytes)),
        ConfigurationKey("maxStoreEvents", .optionalCount(\.maxStoreEvents)),
        ConfigurationKey("maxEventAge", .optionalMilliseconds(\.maxEventAge)),
        ConfigurationKey("durability", .durability),
        ConfigurationKey("maxBatchBytes", .count(\.maxBatchBytes)),
        ConfigurationKey("connectTimeout", .milliseconds(\.connectTimeout, minimum: 1)),
        ConfigurationKey("requestTimeout", .milliseconds(\.requestTimeout, minimum: 1)),
        ConfigurationKey("endsOnSignals", .boolean(\.endsOnSignals)),
    ]

    /// The key of that name or alias, in exactly that spelling.
    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// Every name and alias.
    package static var allNames: [String] {
        all.flatMap { [$0.name] + $0.aliases }
    }
}

/// What is wrong with one key of a configuration.
package struct ConfigurationProblem: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// No key has that name. Nothing was changed.
        case unknownKey
        /// A value that the key cannot take. Nothing was changed.
        case unfitValue
        /// The value was taken, but probably will not do what was meant.
        case doubtfulValue
    }

    package var kind: Kind
    /// The name as it was written.
    package var name: String
    /// What is wrong and what was expected: `'isCompressEvents' expects true or false, not text`.
    package var message: String
    /// The key that was probably meant.
    package var suggestion: String?
}

extension ConfigurationProblem: CustomStringConvertible {
    package var description: String {
        suggestion.map { "\(message); did you mean '\($0)'?" } ?? message
    }
}

// MARK: - Writing and reading a configuration

extension ConfigurationKey {
    /// Writes `value` to the key of that name or alias.
    /// - Returns: what is wrong; only a ``ConfigurationProblem/Kind/doubtfulValue`` has been written nevertheless.
    package static func apply(
        name: String,
        value: Value,
        to configuration: inout Configuration
    ) -> ConfigurationProblem? {
        guard let key = named(name) else {
            return ConfigurationProblem(
                kind: .unknownKey,
                name: name,
                message: "unknown configuration key '\(name)'",
                suggestion: Suggestion.nearest(to: name, among: allNames)
            )
        }
        return key.apply(value, as: name, to: &configuration)
    }

    /// Writes `value`, unless it does not fit.
    /// - Parameter spelling: what the key is called in messages; its name when not given.
    package func apply(
        _ value: Value,
        as spelling: String? = nil,
        to configuration: inout Configuration
    ) -> ConfigurationProblem? {
        let spelling = spelling ?? name
        switch (form, value) {
        case (_, .null): break
        case (.boolean(let path), .boolean(let truth)): configuration[keyPath: path] = truth
        case (.text(let path), .text(let text)): configuration[keyPath: path] = text
        case (.optionalText, .text(let text)) where name == "authCookie" && !UploadRequest.isHeaderValue(text):
            return ConfigurationProblem(
                kind: .unfitValue,
                name: spelling,
                message:
                    "'\(spelling)' expects \(Self.cookieExpectation), not one with line breaks or other control characters"
            )
        case (.optionalText(let path), .text(let text)): configuration[keyPath: path] = text
        case (.milliseconds(let path, let minimum), .integer(let number)) where number >= minimum:
            configuration[keyPath: path] = number
        case (.optionalMilliseconds(let path), .integer(let number)) where number >= 0:
            configuration[keyPath: path] = number
        case (.count(let path), .integer(let number)) where number >= 1:
            configuration[keyPath: path] = Int(clamping: number)
        case (.optionalCount(let path), .integer(let number)) where number >= 1:
            configuration[keyPath: path] = Int(clamping: number)
        case (.attributes, .attributes(let attributes)): configuration.globalAttributes = attributes
        case (.durability, .text(let word)):
            guard let durability = Configuration.Durability(rawValue: word) else {
                return ConfigurationProblem(
                    kind: .unfitValue,
                    name: spelling,
                    message: "'\(spelling)' expects \(expectation), not '\(word)'",
                    suggestion: Suggestion.nearest(to: word, among: ["process", "power"])
                )
            }
            configuration.durability = durability
        default:
            return ConfigurationProblem(
                kind: .unfitValue,
                name: spelling,
                message: "'\(spelling)' expects \(expectation), not \(value.description)"
            )
        }
        return doubt(about: value).map {
            ConfigurationProblem(kind: .doubtfulValue, name: spelling, message: "'\(spelling)' \($0)")
        }
    }

    /// What the key holds now; `.null` where it is not set.
    package func value(in configuration: Configuration) -> Value {
        switch form {
        case .boolean(let path): .boolean(configuration[keyPath: path])
        case .text(let path): .text(configuration[keyPath: path])
        case .optionalText(let path): configuration[keyPath: path].map { .text($0) } ?? .null
        case .milliseconds(let path, _): .integer(configuration[keyPath: path])
        case .optionalMilliseconds(let path): configuration[keyPath: path].map { .integer($0) } ?? .null
        case .count(let path): .integer(Int64(configuration[keyPath: path]))
        case .optionalCount(let path): configuration[keyPath: path].map { .integer(Int64($0)) } ?? .null
        case .attributes: .attributes(configuration.globalAttributes)
        case .durability: .text(configuration.durability.rawValue)
        }
    }

    /// What the key takes, in words.
    package var expectation: String {
        switch form {
        case .boolean: "true or false"
        case .text, .optionalText: "text"
        case .milliseconds(_, let minimum): "whole milliseconds, \(minimum) or more"
        case .optionalMilliseconds: "whole milliseconds, 0 or more"
        case .count, .optionalCount: "a whole number, 1 or more"
        case .attributes: "a mapping of names to texts, numbers and booleans"
        case .durability: "'process' or 'power'"
        }
    }

    /// What a cookie must be to stand in a header of a request.
    package static let cookieExpectation = "text that can stand in a line of a request's header"

    /// What is odd about a value that fits. The server's grammar of app ids is its own: said here, not enforced.
    private func doubt(about value: Value) -> String? {
        guard case .text(let text) = value else { return nil }
        switch name {
        case "appId" where !Self.isServerAppID(text):
            return "'\(text)' will be rejected by AWS: use a letter followed by up to 126 letters, digits or '_'"
        case "endpoint" where !text.isEmpty && !Self.isWebAddress(text):
            return "'\(text)' is not a valid URL: use one that begins with https:// or http://"
        default:
            return nil
        }
    }

    /// `[a-zA-Z][a-zA-Z0-9_]{0,126}`: what the published server lets an app be called.
    package static func isServerAppID(_ id: String) -> Bool {
        guard let first = id.utf8.first, id.utf8.count <= 127 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
        return isLetter(first) && id.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("https://") || start.hasPrefix("http://")
    }
}

extension ConfigurationKey.Value: CustomStringConvertible {
    /// The value in words, for messages. Never a text itself: it may be a secret.
    package var description: String {
        switch self {
        case .boolean(let truth): String(truth)
        case .integer(let number): String(number)
        case .text: "text"
        case .attributes: "a mapping"
        case .null: "nothing"
        case .unfit(let words): words
        }
    }
}

// MARK: - JSON

extension ConfigurationKey.Value {
    /// What a JSON value says. An object becomes attributes; one that holds something else than texts, numbers and
    /// booleans fits no key.
    package init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .text(text)
        case .array: self = .unfit("a list")
        case .number(let number):
            self = number.integer.map { .integer($0) } ?? .unfit("the number \(number.text)")
        case .object(let members):
            var attributes = Attributes()
            for member in members {
                guard let value = AttributeValue(json: member.value) else {
                    self = .unfit("a mapping in which '\(member.name)' is \(member.value.kindDescription)")
                    return
                }
                attributes.set(member.name, to: value)
            }
            self = .attributes(attributes)
        }
    }
}

// MARK: - The environment

extension ConfigurationKey {
    /// What the key's variables are called: `CLICKSTREAM_APP_ID`. Its name's comes first, then its aliases'.
    package var environmentNames: [String] {
        ([name] + aliases).map { "CLICKSTREAM_" + Self.upperSnake($0) }
    }

    private static func upperSnake(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }

    /// What the text of a variable says, by the type that the key takes.
    ///
    /// Booleans are `true`, `false`, `1` and `0` in any case; attributes are a JSON object.
    package func value(ofVariable text: String) -> Value {
        switch form {
        case .text, .optionalText, .durability:
            return .text(text)
        case .boolean:
            switch text.lowercased() {
            case "true", "1": return .boolean(true)
            case "false", "0": return .boolean(false)
            default: return .unfit("'\(text)'")
            }
        case .milliseconds, .optionalMilliseconds, .count, .optionalCount:
            return Int64(text).map { .integer($0) } ?? .unfit("'\(text)'")
        case .attributes:
            do {
                return Value(try JSONReader.parse(Array(text.utf8)))
            } catch {
                return .unfit("what is no JSON (\(error))")
            }
        }
    }
}
