/// Configuration key as written in a script, in amplifyconfiguration.json, or in the environment.
///
/// ``all`` is the only table of keys; every configuration reader uses it, and the documents with all keys are generated from
/// it. A key is declared beside its property: in Configuration.swift, or Configuration+Device.swift.
package struct ConfigurationKey: Sendable {
    /// The documented name.
    package let name: String
    /// Alternative names.
    package let aliases: [String]
    package let form: Form
    /// The effect of the value in a sentence or two, without the default.
    package let summary: String
    /// True if the value cannot change while a client runs: location and limits of its store, and the signal handling
    /// installed at launch.
    package let isFixed: Bool
    /// True if the value may contain a secret, and is not shown.
    package let isSecret: Bool
    /// True for a text in words, such as a title: white space at its ends is refused, and not removed as from an id.
    let isFreeText: Bool

    /// Type of a key's value, with the property that it sets.
    package enum Form: Sendable {
        case boolean(any WritableKeyPath<ClickstreamClient.Configuration, Bool> & Sendable)
        case text(any WritableKeyPath<ClickstreamClient.Configuration, String> & Sendable)
        case optionalText(any WritableKeyPath<ClickstreamClient.Configuration, String?> & Sendable)
        /// A duration, written as an integer number of milliseconds that is not less than the minimum.
        case milliseconds(any WritableKeyPath<ClickstreamClient.Configuration, Duration> & Sendable, minimum: Int64)
        case optionalMilliseconds(any WritableKeyPath<ClickstreamClient.Configuration, Duration?> & Sendable)
        /// An integer, at least 1.
        case count(any WritableKeyPath<ClickstreamClient.Configuration, Int> & Sendable)
        case optionalCount(any WritableKeyPath<ClickstreamClient.Configuration, Int?> & Sendable)
        /// The offset of a time zone from GMT in milliseconds: -12 to +14 hours.
        case zoneOffset
        case attributes
        /// One of the words; `set` is called with these only.
        case word(
            [String],
            get: @Sendable (ClickstreamClient.Configuration) -> String,
            set: @Sendable (inout ClickstreamClient.Configuration, String) -> Void
        )
        /// Rates from 0 to 1 by event name.
        case sampling
    }

    /// Unvalidated value of a key.
    package enum Value: Sendable, Hashable {
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case attributes(Attributes)
        /// Has no effect, as if the key were absent.
        case null
        /// A value of a type that no key accepts, with its description: `a list`, `the number 1.5`.
        case unfit(String)
    }

    init(
        _ name: String,
        aliases: [String] = [],
        _ form: Form,
        _ summary: String,
        isFixed: Bool = false,
        isSecret: Bool = false,
        isFreeText: Bool = false
    ) {
        self.name = name
        self.aliases = aliases
        self.form = form
        self.summary = summary
        self.isFixed = isFixed
        self.isSecret = isSecret
        self.isFreeText = isFreeText
    }

    /// All keys, in the order of the documentation.
    package static let all: [ConfigurationKey] = clientKeys + deviceKeys

    /// Returns the key with that name or alias; the spelling must match exactly.
    package static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name || $0.aliases.contains(name) }
    }

    /// All names and aliases.
    package static var allNames: [String] {
        all.flatMap { [$0.name] + $0.aliases }
    }
}

/// Problem with one key of a configuration.
package struct ConfigurationProblem: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// There is no key of that name. Nothing was changed.
        case unknownKey
        /// The key does not accept the value. Nothing was changed.
        case unfitValue
        /// The value was applied, but is probably a mistake.
        case doubtfulValue
    }

    package var kind: Kind
    /// The name as written.
    package var name: String
    /// The description of the problem and the expected value: `'isCompressEvents' expects true or false, not text`.
    package var message: String
    /// The most similar existing key.
    package var suggestion: String?

    package init(kind: Kind, name: String, message: String, suggestion: String? = nil) {
        self.kind = kind
        self.name = name
        self.message = message
        self.suggestion = suggestion
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    package var description: String {
        suggestion.map { "\(message); did you mean '\($0)'?" } ?? message
    }
}

// MARK: - Writing and reading a configuration

extension ConfigurationKey {
    /// Sets the key with that name or alias to `value`.
    /// - Returns: the problem, or `nil`; only for ``ConfigurationProblem/Kind/doubtfulValue`` the value was still
    ///   applied.
    package static func apply(
        name: String,
        value: Value,
        to configuration: inout ClickstreamClient.Configuration
    ) -> ConfigurationProblem? {
        guard let key = named(name) else {
            return ConfigurationProblem(
                kind: .unknownKey,
                name: name,
                message: "unknown configuration key '\(Characters.escaped(name))'",
                suggestion: Suggestion.nearest(to: name, among: allNames)
            )
        }
        return key.apply(value, as: name, to: &configuration)
    }

    /// Sets the key to `value`, unless the key does not accept it. White space at the ends of a text is removed, except
    /// from ``isFreeText``.
    /// - Parameter spelling: the key's name in messages; defaults to its documented name.
    package func apply(
        _ value: Value,
        as spelling: String? = nil,
        to configuration: inout ClickstreamClient.Configuration
    ) -> ConfigurationProblem? {
        let spelling = spelling ?? name
        let value = trimmed(value)
        if let refusal = textRefusal(value) {
            return ConfigurationProblem(kind: .unfitValue, name: spelling, message: "'\(spelling)' \(refusal)")
        }
        switch (form, value) {
        case (_, .null): break
        case (.boolean(let path), .boolean(let truth)): configuration[keyPath: path] = truth
        case (.text(let path), .text(let text)): configuration[keyPath: path] = text
        case (.optionalText(let path), .text(let text)): configuration[keyPath: path] = text
        case (_, .integer(let number)) where range?.contains(number) == true: set(number, in: &configuration)
        case (.attributes, .attributes(let attributes)): configuration.globalAttributes = attributes
        case (.word(let words, _, let set), .text(let word)):
            guard words.contains(word) else { return refusal(of: word, as: spelling, words: words) }
            set(&configuration, word)
        case (.sampling, .attributes(let attributes)):
            do throws(SamplingProblem) {
                configuration.sampling = try Self.rates(attributes)
            } catch {
                return ConfigurationProblem(kind: .unfitValue, name: spelling, message: "'\(spelling)' \(error.text)")
            }
        default:
            return ConfigurationProblem(
                kind: .unfitValue,
                name: spelling,
                message: "'\(spelling)' must be \(expectation), not \(value.description)"
            )
        }
        return doubt(about: value).map {
            ConfigurationProblem(kind: .doubtfulValue, name: spelling, message: "'\(spelling)' \($0)")
        }
    }

    /// Sets the key to a number of its ``range``.
    private func set(_ number: Int64, in configuration: inout ClickstreamClient.Configuration) {
        switch form {
        case .milliseconds(let path, _): configuration[keyPath: path] = Duration.milliseconds(number)
        case .optionalMilliseconds(let path): configuration[keyPath: path] = Duration.milliseconds(number)
        case .count(let path): configuration[keyPath: path] = Int(clamping: number)
        case .optionalCount(let path): configuration[keyPath: path] = Int(clamping: number)
        case .zoneOffset: configuration.device.zoneOffset = Int(number)
        case .boolean, .text, .optionalText, .attributes, .word, .sampling: break
        }
    }

    /// Returns the current value of the key; `.null` if it is not set.
    package func value(in configuration: ClickstreamClient.Configuration) -> Value {
        switch form {
        case .boolean(let path): .boolean(configuration[keyPath: path])
        case .text(let path): .text(configuration[keyPath: path])
        case .optionalText(let path): configuration[keyPath: path].map { .text($0) } ?? .null
        case .milliseconds(let path, _): .integer(configuration[keyPath: path].wholeMilliseconds)
        case .optionalMilliseconds(let path):
            configuration[keyPath: path].map { .integer($0.wholeMilliseconds) } ?? .null
        case .count(let path): .integer(Int64(configuration[keyPath: path]))
        case .optionalCount(let path): configuration[keyPath: path].map { .integer(Int64($0)) } ?? .null
        case .zoneOffset: configuration.device.zoneOffset.map { .integer(Int64($0)) } ?? .null
        case .attributes: .attributes(configuration.globalAttributes)
        case .word(_, let get, _): .text(get(configuration))
        case .sampling:
            .attributes(Attributes(configuration.sampling.orderedByText { $0.key }.map { ($0, .double($1)) }))
        }
    }

    /// Copies the value of the key.
    /// - Returns: false if it is the same in both configurations.
    package func copy(
        from source: ClickstreamClient.Configuration,
        to target: inout ClickstreamClient.Configuration
    ) -> Bool {
        func copy(_ path: WritableKeyPath<ClickstreamClient.Configuration, some Equatable>) -> Bool {
            guard target[keyPath: path] != source[keyPath: path] else { return false }
            target[keyPath: path] = source[keyPath: path]
            return true
        }
        switch form {
        case .boolean(let path): return copy(path)
        case .text(let path): return copy(path)
        case .optionalText(let path): return copy(path)
        case .milliseconds(let path, _): return copy(path)
        case .optionalMilliseconds(let path): return copy(path)
        case .count(let path): return copy(path)
        case .optionalCount(let path): return copy(path)
        case .zoneOffset: return copy(\.device.zoneOffset)
        case .attributes: return copy(\.globalAttributes)
        case .sampling: return copy(\.sampling)
        case .word(_, let get, let set):
            guard get(target) != get(source) else { return false }
            set(&target, get(source))
            return true
        }
    }

    /// Accepted numbers; `nil` if the value is not a number.
    package var range: ClosedRange<Int64>? {
        switch form {
        case .milliseconds(_, let minimum): minimum...Int64.max
        case .optionalMilliseconds: 0...Int64.max
        case .count, .optionalCount: 1...Int64.max
        case .zoneOffset: -43_200_000...50_400_000
        case .boolean, .text, .optionalText, .attributes, .word, .sampling: nil
        }
    }

    /// The description of accepted values.
    package var expectation: String {
        switch form {
        case .boolean: "true or false"
        case .text, .optionalText: "a string"
        case .milliseconds(_, let minimum): "an integer of milliseconds, \(minimum) or more"
        case .optionalMilliseconds: "an integer of milliseconds, 0 or more"
        case .count, .optionalCount: "an integer, 1 or more"
        case .zoneOffset: "an integer of milliseconds, from -43200000 to 50400000"
        case .attributes: "an object of strings, numbers and booleans"
        case .word(let words, _, _): .list(words.map { "'\($0)'" }, "or")
        case .sampling: "an object of rates from 0 to 1 by event name"
        }
    }

    /// Returns a warning about a suspicious but accepted value. The server's own grammar of app ids is only reported
    /// here, not enforced.
    private func doubt(about value: Value) -> String? {
        guard case .text(let text) = value else { return nil }
        switch name {
        case "appId" where !Self.isServerAppID(text):
            return
                "'\(Characters.escaped(text))' will be rejected by AWS: use a letter followed by up to 126 letters, digits or '_'"
        default:
            return nil
        }
    }

    /// Returns true if the published server accepts the app id: `[a-zA-Z][a-zA-Z0-9_]{0,126}`.
    package static func isServerAppID(_ id: String) -> Bool {
        guard let first = id.utf8.first, id.utf8.count <= 127 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
        return isLetter(first) && id.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}

extension ConfigurationKey.Value: CustomStringConvertible {
    /// The value as shown in messages. Never contains a text itself, which may be a secret.
    package var description: String {
        switch self {
        case .boolean(let truth): String(truth)
        case .integer(let number): String(number)
        case .text: "a string"
        case .attributes: "an object"
        case .null: "null"
        case .unfit(let words): words
        }
    }
}

// MARK: - JSON

extension ConfigurationKey.Value {
    /// Converts a JSON value. An object becomes attributes; an object with a value other than texts, numbers and
    /// booleans is ``unfit(_:)``.
    package init(_ json: JSONValue) {
        switch json.kind {
        case .null: self = .null
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .text(text)
        case .array: self = .unfit("an array")
        case .number(let number):
            self = number.integer.map { .integer($0) } ?? .unfit("the number \(number.text)")
        case .object(let members):
            var attributes = Attributes()
            for member in members {
                guard let value = AttributeValue(json: member.value) else {
                    let name = Characters.escaped(member.name)
                    self = .unfit("an object in which '\(name)' is \(member.value.kindDescription)")
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
    /// The environment variables of the key, such as `CLICKSTREAM_APP_ID`: first of its name, then of its aliases.
    package var environmentNames: [String] {
        ([name] + aliases).map(Self.variable(ofKey:))
    }

    private static let variablePrefix = "CLICKSTREAM_"

    /// Returns the environment variable of a key: `CLICKSTREAM_GROUP_SOME_KEY` for `group.someKey`.
    package static func variable(ofKey name: String) -> String {
        variablePrefix
            + name.reduce(into: "") { text, character in
                if character == "." {
                    text += "_"
                } else {
                    text += character.isUppercase ? "_\(character)" : character.uppercased()
                }
            }
    }

    /// Returns a problem for each variable of this package that is not a known one, but similar to one; by name.
    package static func unknownVariables(
        in environment: [String: String],
        known: [String]
    ) -> [ConfigurationProblem] {
        let words = known.map { String($0.dropFirst(variablePrefix.count)) }
        var problems: [ConfigurationProblem] = []
        for variable in environment.keys.orderedByText(\.self) where variable.hasPrefix(variablePrefix) {
            let word = String(variable.dropFirst(variablePrefix.count))
            guard !words.contains(word), let nearest = Suggestion.nearest(to: word, among: words) else { continue }
            problems.append(
                ConfigurationProblem(
                    kind: .unknownKey,
                    name: variable,
                    message: "unknown variable \(Characters.escaped(variable))",
                    suggestion: variablePrefix + nearest
                )
            )
        }
        return problems
    }

    /// Parses the text of a variable, by the type of the key.
    ///
    /// Booleans are `true`, `false`, `1` and `0` in any case; attributes are a JSON object. White space at the ends of a
    /// boolean or a number is ignored.
    package func value(ofVariable text: String) -> Value {
        let word = text.withoutOuterWhiteSpace
        switch form {
        case .text, .optionalText, .word:
            return .text(text)
        case .boolean:
            switch word.lowercased() {
            case "true", "1": return .boolean(true)
            case "false", "0": return .boolean(false)
            default: return .unfit("'\(Characters.escaped(word))'")
            }
        case .milliseconds, .optionalMilliseconds, .count, .optionalCount, .zoneOffset:
            return Int64(word).map { .integer($0) } ?? .unfit("'\(Characters.escaped(word))'")
        case .attributes, .sampling:
            do {
                return Value(try JSONReader.parse(Array(text.utf8)))
            } catch {
                return .unfit("invalid JSON (\(error))")
            }
        }
    }
}
