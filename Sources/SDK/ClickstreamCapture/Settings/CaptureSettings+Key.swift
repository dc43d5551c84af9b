import ClickstreamCore

extension CaptureSettings {
    /// Key as written in the section `clickstreamCapture` of amplifyconfiguration.json, or in the environment.
    ///
    /// ``all`` is the only table of these keys; the preloaded library and `doctor` use it.
    package struct Key: Sendable {
        /// The path from the section: the name of a key of a format follows that of the format and a dot.
        package let name: String
        /// True if the value may contain a secret, and is not shown.
        package let isSecret: Bool
        /// True if the format of the key needs a value.
        let isRequired: Bool
        /// The format of a key below its name.
        let format: (any FormatSettings.Type)?
        private let form: Form

        /// Type of a key's value, with the property that it sets.
        private enum Form: Sendable {
            /// Names of ``AutoEventType/all``.
            case autoEvents
            /// Names of classes.
            case classes(any WritableKeyPath<CaptureSettings, Set<String>> & Sendable)
            /// A key of a format; `set` returns false for a text that the key does not accept.
            case format(
                expectation: String,
                set: @Sendable (String, inout CaptureConfiguration) -> Bool,
                text: @Sendable (CaptureConfiguration) -> String
            )
        }

        private init(_ name: String, _ form: Form) {
            self.name = name
            self.form = form
            isSecret = false
            isRequired = false
            format = nil
        }

        private init<Settings: FormatSettings>(_ key: FormatKey<Settings>) {
            name = "\(Settings.formatName.rawValue).\(key.name)"
            isSecret = key.isSecret
            isRequired = key.isRequired
            format = Settings.self
            form = .format(
                expectation: key.expectation,
                set: { text, configuration in
                    guard let value = key.value(ofText: text) else { return false }
                    var settings = Settings.settings(in: configuration) ?? Settings.defaults
                    key.set(value, in: &settings)
                    settings.enable(in: &configuration)
                    return true
                },
                text: { key.text(in: Settings.settings(in: $0) ?? Settings.defaults) }
            )
        }

        private static func keys<Settings: FormatSettings>(of format: Settings.Type) -> [Key] {
            Settings.keys.filter { $0.sources.contains(.configuration) }.map { Key($0) }
        }

        /// All keys, in the order of the documentation.
        package static let all: [Key] =
            [Key("autoEvents", .autoEvents), Key("optOut", .classes(\.optOut)), Key("masked", .classes(\.masked))]
            + CaptureConfiguration.formats.flatMap { keys(of: $0) }

        /// Names of the objects in the section: the formats with an endpoint of their own.
        package static let groups = Set(CaptureConfiguration.formats.map { $0.formatName.rawValue })

        /// Returns the key with that name; the spelling must match exactly.
        package static func named(_ name: String) -> Key? {
            all.first { $0.name == name }
        }

        /// The environment variable of the key, such as `CLICKSTREAM_AUTO_EVENTS`.
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
            settings.draft.autoEvents = names.compactMap(AutoEventType.named)
        case .classes(let path):
            settings[keyPath: path] = Set(Self.list(text))
        case .format(_, let set, _):
            guard set(text, &settings.draft) else { return refusal(of: text, as: subject) }
        }
        return nil
    }

    /// Returns the value of the key as the text of its variable.
    package func text(in settings: CaptureSettings) -> String {
        switch form {
        case .autoEvents: settings.draft.autoEvents.map(\.name).joined(separator: ",")
        case .classes(let path): settings[keyPath: path].sorted().joined(separator: ",")
        case .format(_, _, let text): text(settings.draft)
        }
    }

    /// The description of accepted values.
    private var expectation: String {
        switch form {
        case .autoEvents: "a list of \(AutoEventType.all.map(\.name).joined(separator: ", "))"
        case .classes: "a list of classes"
        case .format(let expectation, _, _): expectation
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
