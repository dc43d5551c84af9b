/// A configuration put together from several places, which knows of each key who set it.
///
/// Of two places the stronger wins, whichever comes first: code, then the environment, then the file, then the defaults.
package struct ConfigurationLayers: Sendable, Equatable {
    /// Who set a key. The later cases win.
    package enum Origin: Sendable, Equatable {
        case defaults
        /// A file, by its path.
        case file(String)
        /// A variable, by its name.
        case environment(String)
        case code

        fileprivate var strength: Int {
            switch self {
            case .defaults: 0
            case .file: 1
            case .environment: 2
            case .code: 3
            }
        }
    }

    package private(set) var configuration: Configuration
    /// By the key's name, never an alias; keys that nobody set are not here.
    private var origins: [String: Origin] = [:]

    package init(_ defaults: Configuration = Configuration(appID: "")) {
        configuration = defaults
    }

    /// Who set the key of that name or alias.
    package func origin(of name: String) -> Origin {
        ConfigurationKey.named(name).flatMap { origins[$0.name] } ?? .defaults
    }

    /// Writes `value`, unless somebody stronger has set the key already. A value that does not fit is a problem even so.
    package mutating func set(
        _ name: String,
        to value: ConfigurationKey.Value,
        from origin: Origin
    ) -> ConfigurationProblem? {
        guard let key = ConfigurationKey.named(name) else {
            return ConfigurationKey.apply(name: name, value: value, to: &configuration)
        }
        guard origin.strength >= self.origin(of: key.name).strength else {
            var discarded = configuration
            let problem = key.apply(value, as: name, to: &discarded)
            return problem?.kind == .doubtfulValue ? nil : problem
        }
        let problem = key.apply(value, as: name, to: &configuration)
        if problem?.kind != .unfitValue, value != .null { origins[key.name] = origin }
        return problem
    }

    /// Writes what the variables of an environment say. An empty variable counts as none.
    /// - Returns: what is wrong, by the order of ``ConfigurationKey/all``, then unknown variables that are nearly one of
    ///   ours, by name.
    package mutating func setFromEnvironment(_ environment: [String: String]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for key in ConfigurationKey.all {
            // The name's own variable comes last, and wins over an alias's.
            for variable in key.environmentNames.reversed() {
                guard let text = environment[variable], !text.isEmpty else { continue }
                let value = key.value(ofVariable: text)
                guard var problem = set(key.name, to: value, from: .environment(variable)) else { continue }
                problem.message.replace("'\(key.name)'", with: variable, maxReplacements: 1)
                problem.name = variable
                problems.append(problem)
            }
        }
        let prefix = "CLICKSTREAM_"
        let known = ConfigurationKey.all.flatMap(\.environmentNames).map { String($0.dropFirst(prefix.count)) }
        for variable in environment.keys.sorted() where variable.hasPrefix(prefix) {
            let rest = String(variable.dropFirst(prefix.count))
            guard !known.contains(rest), let nearest = Suggestion.nearest(to: rest, among: known) else { continue }
            problems.append(
                ConfigurationProblem(
                    kind: .unknownKey,
                    name: variable,
                    message: "unknown variable \(variable)",
                    suggestion: prefix + nearest
                )
            )
        }
        return problems
    }
}
