package import ClickstreamCore

/// Settings of capture from their sources: the environment, then the section of amplifyconfiguration.json, then the
/// defaults. The keys have the names of replay scripts.
package struct CaptureSettings: Sendable {
    /// The path of the section from the root of the file.
    package static let sectionPath = ["analytics", "plugins", "clickstreamCapture"]
    /// Variable with the path of the configuration file, instead of the usual folders.
    package static let fileVariable = "CLICKSTREAM_CONFIGURATION_FILE"

    /// The settings without those of classes; formats without an endpoint may have settings too.
    var draft = CaptureConfiguration(autoEvents: AutoEventType.all)
    var optOut: Set<String> = []
    var masked: Set<String> = []
    /// The problems and warnings; the settings cannot be used if there are problems.
    package private(set) var report = ConfigurationReport()
    /// The sources by key name; keys with their default are absent.
    private var origins: [String: ConfigurationLayers.Origin] = [:]

    /// Reads the section of a file, if it has one, and the environment.
    package init(_ section: ConfigurationSection?, environment: [String: String]) {
        var report = ConfigurationReport()
        if let section { read(section, into: &report) }
        report.add(environment: read(environment))
        report.problems += missingKeys.map {
            "'\($0.name)' is missing: set it in amplifyconfiguration.json or in \($0.variable)"
        }
        self.report = report
    }

    /// The configuration, in which the formats with an endpoint are enabled.
    package var configuration: CaptureConfiguration {
        var configuration = draft
        configuration.classRules = ClassRules(
            optBehavior: Dictionary(uniqueKeysWithValues: optOut.map { ($0, .autoOptOut) }),
            masked: masked
        )
        for format in CaptureConfiguration.formats where !hasEndpoint(format) { format.disable(in: &configuration) }
        return configuration
    }

    private func hasEndpoint(_ format: any FormatSettings.Type) -> Bool {
        format.settings(in: draft)?.endpoint.isEmpty == false
    }

    /// The required keys that no source sets, of formats with an endpoint.
    private var missingKeys: [Key] {
        Key.all.filter { $0.isRequired && origins[$0.name] == nil && $0.format.map(hasEndpoint) == true }
    }

    /// Returns the source of a key.
    package func origin(of key: Key) -> ConfigurationLayers.Origin {
        origins[key.name] ?? .defaults
    }

    // MARK: Sources

    private mutating func read(_ section: ConfigurationSection, into report: inout ConfigurationReport) {
        report.check(
            section,
            documentedName: { Key.named($0)?.name },
            apply: { set($0, to: $1, from: .file(section.path)) }
        )
    }

    private mutating func set(
        _ name: String,
        to value: JSONValue,
        from origin: ConfigurationLayers.Origin
    ) -> ConfigurationProblem? {
        func unfit(_ expectation: String) -> ConfigurationProblem {
            ConfigurationProblem(
                kind: .unfitValue,
                name: name,
                message: "'\(name)' must be \(expectation), not \(value.kindDescription)"
            )
        }
        guard !Key.groups.contains(name) else { return unfit("an object") }
        guard let key = Key.named(name) else {
            return ConfigurationProblem(
                kind: .unknownKey,
                name: name,
                message: "unknown key '\(Characters.escaped(name))' of capture",
                suggestion: Suggestion.nearest(to: name, among: Key.all.map(\.name) + Key.groups.sorted())
            )
        }
        guard let text = Self.text(of: value) else { return unfit("text, a number or a list of texts") }
        let problem = key.apply(text, as: "'\(name)'", to: &self)
        if problem == nil { origins[name] = origin }
        return problem
    }

    /// The text of a variable with the same meaning; `nil` for other types.
    private static func text(of value: JSONValue) -> String? {
        switch value.kind {
        case .string(let text): return text.withoutOuterWhiteSpace
        case .number: return value.integer.map(String.init)
        case .array(let values):
            let texts = values.compactMap(\.string)
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        default: return nil
        }
    }

    /// Reads the variables of all keys. A variable that is empty or white space is ignored.
    /// - Returns: the problems, then unknown variables similar to one of capture.
    private mutating func read(_ environment: [String: String]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for key in Key.all {
            guard let text = environment.setting(key.variable) else { continue }
            if let problem = key.apply(text, as: key.variable, to: &self) {
                problems.append(problem)
            } else {
                origins[key.name] = .environment(key.variable)
            }
        }
        let variables = Key.all.map(\.variable) + [Self.fileVariable]
        let others = ConfigurationKey.all.flatMap(\.environmentNames)
        let unknown = ConfigurationKey.unknownVariables(in: environment, known: variables + others)
        // Those similar to a variable of the SDK are reported with the SDK's settings.
        return problems + unknown.filter { variables.contains($0.suggestion ?? "") }
    }
}
