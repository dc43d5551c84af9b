/// Configuration merged from several sources, with the source of each key.
///
/// Precedence is independent of the order of setting: code, then environment, then file, then defaults.
package struct ConfigurationLayers: Sendable, Equatable {
    /// Source of a key's value. Later cases take precedence.
    package enum Origin: Sendable, Equatable {
        case defaults
        /// A file, with its path.
        case file(String)
        /// An environment variable, with its name.
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

    package private(set) var configuration: ClickstreamClient.Configuration
    /// The sources by key name, never an alias; keys with their default are absent.
    private var origins: [String: Origin] = [:]

    package init(_ defaults: ClickstreamClient.Configuration = ClickstreamClient.Configuration(appID: "")) {
        configuration = defaults
    }

    /// Returns the source of the key with that name or alias.
    package func origin(of name: String) -> Origin {
        ConfigurationKey.named(name).flatMap { origins[$0.name] } ?? .defaults
    }

    /// Sets a key, unless a source of higher precedence has set it. An invalid value is reported in either case.
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

    /// Sets keys from environment variables. A variable that is empty or white space is ignored.
    /// - Returns: the problems, in the order of ``ConfigurationKey/all``, then unknown variables similar to a known
    ///   one, by name.
    package mutating func setFromEnvironment(_ environment: [String: String]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        for key in ConfigurationKey.all {
            // The variable of the documented name is applied last, and overrides an alias.
            for variable in key.environmentNames.reversed() {
                guard let text = environment[variable], !text.allSatisfy(\.isWhitespace) else { continue }
                let value = key.value(ofVariable: text)
                guard var problem = set(key.name, to: value, from: .environment(variable)) else { continue }
                problem.message.replace("'\(key.name)'", with: variable, maxReplacements: 1)
                problem.name = variable
                problems.append(problem)
            }
        }
        let known = ConfigurationKey.all.flatMap(\.environmentNames)
        return problems + ConfigurationKey.unknownVariables(in: environment, known: known)
    }
}
