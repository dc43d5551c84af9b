package import ClickstreamCore

/// One configuration key with the value that a script gives it; both are known to be good.
package struct ConfigurationEntry: Sendable, Hashable {
    /// As it was written; an alias stays one.
    package var key: String
    package var value: Value

    package enum Value: Sendable, Hashable {
        case boolean(Bool)
        case integer(Int64)
        case text(String)
        case attributes(Attributes)
    }

    package init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }

    /// Writes the value into the configuration.
    package func apply(to configuration: inout Configuration) {
        ConfigurationEntry.form(of: key)?.write(value, to: &configuration)
    }
}

extension ConfigurationEntry {
    /// What a key takes, and where it goes.
    enum Form: Sendable {
        case boolean(any WritableKeyPath<Configuration, Bool> & Sendable)
        case text(any WritableKeyPath<Configuration, String> & Sendable)
        case optionalText(any WritableKeyPath<Configuration, String?> & Sendable)
        /// Not negative; 0 may mean none.
        case milliseconds(any WritableKeyPath<Configuration, Int64> & Sendable)
        case optionalMilliseconds(any WritableKeyPath<Configuration, Int64?> & Sendable)
        /// At least 1.
        case count(any WritableKeyPath<Configuration, Int> & Sendable)
        case optionalCount(any WritableKeyPath<Configuration, Int?> & Sendable)
        case attributes
        case durability

        fileprivate func write(_ value: Value, to configuration: inout Configuration) {
            switch (self, value) {
            case (.boolean(let path), .boolean(let truth)): configuration[keyPath: path] = truth
            case (.text(let path), .text(let text)): configuration[keyPath: path] = text
            case (.optionalText(let path), .text(let text)): configuration[keyPath: path] = text
            case (.milliseconds(let path), .integer(let number)): configuration[keyPath: path] = number
            case (.optionalMilliseconds(let path), .integer(let number)): configuration[keyPath: path] = number
            case (.count(let path), .integer(let number)): configuration[keyPath: path] = Int(number)
            case (.optionalCount(let path), .integer(let number)): configuration[keyPath: path] = Int(number)
            case (.attributes, .attributes(let attributes)): configuration.globalAttributes = attributes
            case (.durability, .text(let word)):
                configuration.durability = Configuration.Durability(rawValue: word) ?? configuration.durability
            default: break
            }
        }
    }

    /// Every key of a configuration, in the order of the documentation.
    static let forms: [(key: String, form: Form)] = [
        ("appId", .text(\.appID)),
        ("endpoint", .text(\.endpoint)),
        ("isCompressEvents", .boolean(\.compressesEvents)),
        ("autoFlushEventsInterval", .milliseconds(\.sendInterval)),
        ("sendEventsInterval", .milliseconds(\.sendInterval)),
        ("isTrackAppExceptionEvents", .boolean(\.tracksExceptions)),
        ("isTrackScreenViewEvents", .boolean(\.tracksScreenViews)),
        ("isTrackUserEngagementEvents", .boolean(\.tracksUserEngagement)),
        ("isLogEvents", .boolean(\.logsEvents)),
        ("sessionTimeoutDuration", .milliseconds(\.sessionTimeout)),
        ("authCookie", .optionalText(\.authCookie)),
        ("globalAttributes", .attributes),
        ("userAttributesInEveryEvent", .boolean(\.sendsUserAttributesInEveryEvent)),
        ("storageDirectory", .optionalText(\.storageFolder)),
        ("maxStoreBytes", .count(\.maxStoreBytes)),
        ("maxStoreEvents", .optionalCount(\.maxStoreEvents)),
        ("maxEventAge", .optionalMilliseconds(\.maxEventAge)),
        ("durability", .durability),
        ("maxBatchBytes", .count(\.maxBatchBytes)),
        ("connectTimeout", .milliseconds(\.connectTimeout)),
        ("requestTimeout", .milliseconds(\.requestTimeout)),
    ]

    static func form(of key: String) -> Form? {
        forms.first { $0.key == key }?.form
    }
}

extension ScriptReader {
    /// A mapping of configuration keys, in written order.
    mutating func configuration(_ node: ScriptNode, _ what: String) -> [ConfigurationEntry] {
        guard case .mapping(let entries) = node.content else {
            reportType(node, what, expected: "a mapping of configuration keys")
            return []
        }
        var result: [ConfigurationEntry] = []
        for entry in entries {
            guard let form = ConfigurationEntry.form(of: entry.key) else {
                let question = Spelling.question(about: entry.key, in: ConfigurationEntry.forms.map(\.key))
                report(entry.keyPosition, "unknown configuration key '\(entry.key)' in \(what)", question)
                continue
            }
            if let value = value(entry.value, "'\(entry.key)'", form) {
                result.append(ConfigurationEntry(entry.key, value))
            }
        }
        return result
    }

    private mutating func value(
        _ node: ScriptNode,
        _ what: String,
        _ form: ConfigurationEntry.Form
    ) -> ConfigurationEntry.Value? {
        switch form {
        case .boolean:
            return boolean(node, what).map { .boolean($0) }
        case .text, .optionalText:
            return text(node, what).map { .text($0) }
        case .milliseconds, .optionalMilliseconds:
            return integer(node, what, in: 0...Int64.max).map { .integer($0) }
        case .count, .optionalCount:
            return integer(node, what, in: 1...Int64.max).map { .integer($0) }
        case .attributes:
            return .attributes(attributes(node, what))
        case .durability:
            guard let word = text(node, what) else { return nil }
            guard Configuration.Durability(rawValue: word) != nil else {
                let question = Spelling.question(about: word, in: ["process", "power"])
                report(node.position, "\(what) is 'process' or 'power', not '\(word)'", question)
                return nil
            }
            return .text(word)
        }
    }
}
