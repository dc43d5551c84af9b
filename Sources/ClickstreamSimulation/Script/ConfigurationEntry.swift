package import ClickstreamCore

/// One configuration key with its value in a script; both are valid.
package struct ConfigurationEntry: Sendable, Hashable {
    /// The key as written; an alias is kept.
    package var key: String
    package var value: ConfigurationKey.Value

    package init(_ key: String, _ value: ConfigurationKey.Value) {
        self.key = key
        self.value = value
    }

    /// Writes the value into the configuration.
    package func apply(to configuration: inout Configuration) {
        // The reader has rejected other values.
        _ = ConfigurationKey.apply(name: key, value: value, to: &configuration)
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
            guard let key = ConfigurationKey.named(entry.key) else {
                let question = Suggestion.question(about: entry.key, among: ConfigurationKey.allNames)
                report(entry.keyPosition, "unknown configuration key '\(entry.key)' in \(what)", question)
                continue
            }
            if let value = value(entry.value, "'\(entry.key)'", key) {
                result.append(ConfigurationEntry(entry.key, value))
            }
        }
        return result
    }

    private mutating func value(
        _ node: ScriptNode,
        _ what: String,
        _ key: ConfigurationKey
    ) -> ConfigurationKey.Value? {
        switch key.form {
        case .boolean:
            return boolean(node, what).map { .boolean($0) }
        case .text, .optionalText:
            guard let text = text(node, what) else { return nil }
            guard key.name == "endpoint", !text.isEmpty else { return .text(text) }
            do {
                _ = try Endpoint(text)
            } catch {
                report(node.position, "\(what): \(error)", nil)
                return nil
            }
            return .text(text)
        case .milliseconds(_, let minimum):
            return integer(node, what, in: minimum...Int64.max).map { .integer($0) }
        case .optionalMilliseconds:
            return integer(node, what, in: 0...Int64.max).map { .integer($0) }
        case .count, .optionalCount:
            return integer(node, what, in: 1...Int64.max).map { .integer($0) }
        case .attributes:
            return .attributes(attributes(node, what))
        case .durability:
            guard let word = text(node, what) else { return nil }
            guard Configuration.Durability(rawValue: word) != nil else {
                let question = Suggestion.question(about: word, among: ["process", "power"])
                report(node.position, "\(what) must be 'process' or 'power', not '\(word)'", question)
                return nil
            }
            return .text(word)
        }
    }
}
