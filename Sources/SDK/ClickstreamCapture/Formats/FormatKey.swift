package import ClickstreamCore

/// Key of a format's settings, in the mapping with the name of the format.
///
/// ``FormatSettings/keys`` is the only table of the keys of a format. The configuration file, the environment and replay
/// scripts use it.
package struct FormatKey<Settings: FormatSettings>: Sendable {
    package let name: String
    package let form: Form
    /// The sources that accept the key.
    package let sources: Set<Source>
    /// True if an enabled format needs the key, without a default except in scripts.
    let isRequired: Bool
    /// True if the value may contain a secret, and is not shown.
    let isSecret: Bool

    /// Type of a key's value, with the property that it sets.
    package enum Form: Sendable {
        case endpoint(any WritableKeyPath<Settings, String> & Sendable)
        case text(any WritableKeyPath<Settings, String?> & Sendable)
        /// An integer, at least 1, or in scripts at least the minimum.
        case count(any WritableKeyPath<Settings, Int> & Sendable, scriptMinimum: Int64 = 1)
        case number(any WritableKeyPath<Settings, Double> & Sendable, in: ClosedRange<Double>)
    }

    /// Source of settings.
    package enum Source: Sendable, Hashable {
        /// The configuration file and the environment.
        case configuration
        /// A replay script.
        case script
    }

    init(
        _ name: String,
        _ form: Form,
        in sources: Set<Source> = [.configuration, .script],
        isRequired: Bool = false,
        isSecret: Bool = false
    ) {
        self.name = name
        self.form = form
        self.sources = sources
        self.isRequired = isRequired
        self.isSecret = isSecret
    }
}

extension FormatKey {
    /// Sets the property to a value of the key's type.
    package func set(_ value: AttributeValue, in settings: inout Settings) {
        switch (form, value) {
        case (.endpoint(let path), .string(let text)): settings[keyPath: path] = text
        case (.text(let path), .string(let text)): settings[keyPath: path] = text
        case (.count(let path, _), .integer(let number)): settings[keyPath: path] = Int(clamping: number)
        case (.number(let path, _), .double(let number)): settings[keyPath: path] = number
        case (.endpoint, _), (.text, _), (.count, _), (.number, _):
            preconditionFailure("Invalid state: '\(name)' of '\(Settings.formatName)' has a value of another type")
        }
    }

    /// Returns the value of a text in a configuration file or a variable; `nil` if the key does not accept it.
    func value(ofText text: String) -> AttributeValue? {
        switch form {
        case .endpoint: Endpoint.refusal(of: text, from: nil) == nil ? .string(text) : nil
        case .text: .string(text)
        case .count: Int64(text).flatMap { $0 > 0 ? .integer($0) : nil }
        case .number(_, let range): Double(text).flatMap { range.contains($0) ? .double($0) : nil }
        }
    }

    /// Returns the value as the text of a variable.
    func text(in settings: Settings) -> String {
        switch form {
        case .endpoint(let path): settings[keyPath: path]
        case .text(let path): settings[keyPath: path] ?? ""
        case .count(let path, _): String(settings[keyPath: path])
        case .number(let path, _): String(settings[keyPath: path])
        }
    }

    /// The description of texts that the key accepts.
    var expectation: String {
        switch form {
        case .endpoint: "an http or https URL"
        case .text: "a string"
        case .count: "a positive number"
        case .number(_, let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}
