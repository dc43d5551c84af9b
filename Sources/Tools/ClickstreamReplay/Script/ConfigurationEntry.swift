package import ClickstreamCore
import ClickstreamDocuments

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
    package func apply(to configuration: inout ClickstreamClient.Configuration) {
        // The reader has rejected other values.
        _ = ConfigurationKey.apply(name: key, value: value, to: &configuration)
    }
}

extension ScriptReader {
    /// A mapping of configuration keys, in written order, and of keys of automatic capture.
    mutating func configuration(
        _ node: DocumentNode,
        _ what: String
    ) -> (entries: [ConfigurationEntry], capture: CaptureFacts) {
        guard case .mapping(let entries) = node.content else {
            reportType(node, what, expected: "a mapping of configuration keys")
            return ([], CaptureFacts())
        }
        var result: [ConfigurationEntry] = []
        var capture = CaptureFacts()
        for entry in entries {
            if Vocabulary.captureKeys.contains(entry.key) {
                addCapture(entry, to: &capture)
                continue
            }
            guard let key = ConfigurationKey.named(entry.key) else {
                let names = ConfigurationKey.allNames + Vocabulary.captureKeys
                let question = Suggestion.question(about: entry.key, among: names)
                report(entry.keyPosition, "unknown configuration key '\(entry.key)' in \(what)", question)
                continue
            }
            if let value = value(entry.value, "'\(entry.key)'", key) {
                result.append(ConfigurationEntry(entry.key, value))
            }
        }
        return (result, capture)
    }

    /// The step `configure`. The endpoints of capture formats are fixed at the launch.
    mutating func configuration(ofStep node: DocumentNode) -> Step.Action {
        if case .mapping(let entries) = node.content {
            for entry in entries where Vocabulary.captureFormats.contains(entry.key) {
                let hint = "set it in 'config', also of a later 'launch'"
                report(entry.keyPosition, "'\(entry.key)' cannot change in a running process", hint)
            }
        }
        let (entries, capture) = configuration(node, "'configure'")
        return .configure(entries, autoEvents: capture.autoEvents ?? [])
    }

    private mutating func value(
        _ node: DocumentNode,
        _ what: String,
        _ key: ConfigurationKey
    ) -> ConfigurationKey.Value? {
        switch key.form {
        case .boolean:
            return boolean(node, what).map { .boolean($0) }
        case .text, .optionalText:
            let text = key.name == "endpoint" ? endpoint(node, what) : text(node, what)
            return text.flatMap { checked(.text($0), node, key) }
        case .milliseconds, .optionalMilliseconds, .count, .optionalCount, .zoneOffset:
            return key.range.flatMap { integer(node, what, in: $0) }.map { .integer($0) }
        case .attributes:
            return .attributes(attributes(node, what))
        case .word:
            return text(node, what).flatMap { checked(.text($0), node, key) }
        case .sampling:
            return checked(.attributes(attributes(node, what)), node, key)
        }
    }

    /// The value if the key accepts it, even if it is doubtful; otherwise reports the problem.
    private mutating func checked(
        _ value: ConfigurationKey.Value,
        _ node: DocumentNode,
        _ key: ConfigurationKey
    ) -> ConfigurationKey.Value? {
        var configuration = ClickstreamClient.Configuration(appID: "")
        guard let problem = key.apply(value, to: &configuration), problem.kind == .unfitValue else { return value }
        report(node.position, problem.message, problem.suggestion.map { "did you mean '\($0)'?" })
        return nil
    }
}
