import ClickstreamCore

extension CaptureSettings {
    /// Key as written in the section `clickstreamCapture` of amplifyconfiguration.json, or in the environment.
    ///
    /// ``all`` is the only table of these keys; the preloaded library and `doctor` use it.
    package struct Key: Sendable {
        /// The path from the section, such as `pulse.endpoint`.
        package let name: String
        /// True if the value may contain a secret, and is not shown.
        package let isSecret: Bool
        private let form: Form

        /// Type of a key's value, with the property that it sets.
        private enum Form: Sendable {
            /// Names of ``AutoEventType/all``.
            case autoEvents
            /// Names of classes.
            case classes(any WritableKeyPath<CaptureSettings, Set<String>> & Sendable)
            case endpoint(any WritableKeyPath<CaptureSettings, String> & Sendable)
            case text(any WritableKeyPath<CaptureSettings, String?> & Sendable)
            /// An integer, at least 1.
            case count(any WritableKeyPath<CaptureSettings, Int> & Sendable)
        }

        private init(_ name: String, _ form: Form, isSecret: Bool = false) {
            self.name = name
            self.form = form
            self.isSecret = isSecret
        }

        /// All keys, in the order of the documentation.
        package static let all: [Key] = [
            Key("autoEvents", .autoEvents),
            Key("optOut", .classes(\.optOut)),
            Key("masked", .classes(\.masked)),
            Key("pulse.endpoint", .endpoint(\.pulse.endpoint)),
            Key("pulse.authCookie", .text(\.pulse.authCookie), isSecret: true),
            Key("contentsquare.endpoint", .endpoint(\.contentsquare.endpoint)),
            Key("contentsquare.projectId", .count(\.contentsquare.projectID)),
            Key("contentsquare.batchSize", .count(\.contentsquare.batchSize)),
        ]

        /// Names of the objects in the section: the formats with an endpoint of their own.
        package static let groups = Set(
            all.compactMap { $0.name.split(separator: ".").dropLast().first.map(String.init) }
        )

        /// Returns the key with that name; the spelling must match exactly.
        package static func named(_ name: String) -> Key? {
            all.first { $0.name == name }
        }

        /// The environment variable of the key, such as `CLICKSTREAM_PULSE_ENDPOINT`.
        package var variable: String { ConfigurationKey.variable(ofKey: name) }
    }
}

// MARK: - Writing and reading settings

extension CaptureSettings.Key {
    /// Sets the key to the value of a text, unless the key does not accept it.
    /// - Parameter subject: the key or its variable in messages.
    func apply(_ text: String, as subject: String, to settings: inout CaptureSettings) -> ConfigurationProblem? {
        switch form {
        case .autoEvents:
            let names = Self.list(text)
            if let unknown = names.first(where: { AutoEventType.named($0) == nil }) {
                let types = AutoEventType.all.map(\.name)
                return refusal(of: text, as: subject, suggestion: Suggestion.nearest(to: unknown, among: types))
            }
            settings.autoEvents = names.compactMap(AutoEventType.named)
        case .classes(let path):
            settings[keyPath: path] = Set(Self.list(text))
        case .endpoint(let path):
            guard Endpoint.refusal(of: text, from: nil) == nil else { return refusal(of: text, as: subject) }
            settings[keyPath: path] = text
        case .text(let path):
            settings[keyPath: path] = text
        case .count(let path):
            guard let number = Int(text), number > 0 else { return refusal(of: text, as: subject) }
            settings[keyPath: path] = number
        }
        return nil
    }

    /// Returns the value of the key as the text of its variable.
    package func text(in settings: CaptureSettings) -> String {
        switch form {
        case .autoEvents: settings.autoEvents.map(\.name).joined(separator: ",")
        case .classes(let path): settings[keyPath: path].sorted().joined(separator: ",")
        case .endpoint(let path): settings[keyPath: path]
        case .text(let path): settings[keyPath: path] ?? ""
        case .count(let path): String(settings[keyPath: path])
        }
    }

    /// The description of accepted values.
    private var expectation: String {
        switch form {
        case .autoEvents: "a list of \(AutoEventType.all.map(\.name).joined(separator: ", "))"
        case .classes: "a list of classes"
        case .endpoint: "an http or https URL"
        case .text: "a string"
        case .count: "a positive number"
        }
    }

    private func refusal(of text: String, as subject: String, suggestion: String? = nil) -> ConfigurationProblem {
        // A text with '@' may contain a password.
        let shown = text.contains("@") ? "a text with '@'" : "'\(Characters.escaped(text))'"
        return ConfigurationProblem(
            kind: .unfitValue,
            name: name,
            message: "\(subject) must be \(expectation), not \(shown)",
            suggestion: suggestion
        )
    }

    /// The elements of a list.
    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map(\.withoutOuterWhiteSpace)
    }
}
