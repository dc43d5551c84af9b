/// Result of the check of a configuration: one sentence for each problem and warning, in the order of the sources.
///
/// All sections of `amplifyconfiguration.json` are checked here, and the environment.
package struct ConfigurationReport: Sendable, Equatable {
    /// Values that are not accepted; the configuration cannot be used.
    package var problems: [String] = []
    /// Unknown keys, keys that are set twice, and suspicious values.
    package private(set) var warnings: [String] = []

    package init() {}

    package mutating func add(_ problem: ConfigurationProblem, as text: String) {
        if problem.kind == .unfitValue { problems.append(text) } else { warnings.append(text) }
    }

    /// Sets the keys of a section in written order, and adds their problems with their positions.
    /// - Parameters:
    ///   - documentedName: returns the documented name of a key by its name or alias, `nil` for an unknown key.
    ///   - apply: sets a key, and returns its problem.
    package mutating func check(
        _ section: ConfigurationSection,
        documentedName: (String) -> String?,
        apply: (String, JSONValue) -> ConfigurationProblem?
    ) {
        var names: Set<String> = []
        for entry in section.entries {
            let location = "\(section.path):\(entry.namePosition)"
            if let name = documentedName(entry.name), !names.insert(name).inserted {
                warnings.append("\(location): '\(entry.name)' is set twice; the last value counts")
            }
            guard let problem = apply(entry.name, entry.value) else { continue }
            let valueLocation = "\(section.path):\(entry.valuePosition)"
            switch problem.kind {
            case .unknownKey: add(problem, as: "\(location): ignoring \(problem)")
            case .doubtfulValue: add(problem, as: "\(valueLocation): \(problem)")
            case .unfitValue: add(problem, as: "\(valueLocation): \(problem); correct it there")
            }
        }
    }

    /// Adds the problems of environment variables.
    package mutating func add(environment problems: [ConfigurationProblem]) {
        for problem in problems {
            switch problem.kind {
            case .unknownKey:
                let question = problem.suggestion.map { "; did you mean \($0)?" }
                add(problem, as: "ignoring \(problem.message)" + (question ?? ""))
            case .doubtfulValue: add(problem, as: "environment: \(problem)")
            case .unfitValue: add(problem, as: "environment: \(problem); correct it or unset the variable")
            }
        }
    }
}
