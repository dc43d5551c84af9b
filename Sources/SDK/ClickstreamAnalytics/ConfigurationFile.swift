package import ClickstreamCore

#if Library
import FoundationEssentials
#else
import Foundation
#endif

/// Published configuration file, `amplifyconfiguration.json`: search and parsing.
package struct ConfigurationFile: Sendable, Equatable {
    package static let name = "amplifyconfiguration.json"
    /// The path of the SDK's keys in the file. Spaces around the last name are ignored, because the published sample
    /// contains one.
    package static let pluginPath = ["analytics", "plugins", "awsClickstreamPlugin"]
    private static let maxBytes = 1 << 20

    package var path: String
    /// The keys in written order, each with its position in the file.
    package var entries: [Entry]

    /// Key with its value in the file.
    package struct Entry: Sendable, Equatable {
        package var name: String
        package var value: ConfigurationKey.Value
        /// The position of the name.
        package var namePosition: SourcePosition
        /// The position of the value.
        package var valuePosition: SourcePosition
    }
}

/// Invalid configuration: all problems, each with file, line and column, and a remedy.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, one sentence on one line each, in the order of the file.
    package let problems: [String]

    package init(problems: [String]) {
        self.problems = problems.map(Characters.escaped)
    }

    package var description: String { problems.joined(separator: "\n") }
}

// MARK: - Search and parsing

extension ConfigurationFile {
    /// Returns the configuration file: the given one, otherwise the first that exists in the usual folders.
    ///
    /// Those are the working directory, the folder of the executable, and on Apple's systems the app's bundle.
    /// - Parameter path: an explicit file; no other is searched.
    /// - Returns: `nil` if no file was given and none exists.
    package static func find(
        path: String? = nil,
        folders: [String] = usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationFile? {
        if let path { return try read(path.withoutOuterWhiteSpace, in: files) }
        for folder in folders {
            let path = folder.isEmpty ? name : folder + "/" + name
            // An inaccessible folder is skipped: the next one may contain the file.
            guard let size = try? files.size(of: path), size >= 0 else { continue }
            return try read(path, in: files)
        }
        return nil
    }

    /// The working directory, the folder of the executable, and the app's bundle; without duplicates.
    package static var usualFolders: [String] {
        distinct([
            FileManager.default.currentDirectoryPath,
            Host.executable.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path },
            Host.resources,
        ])
    }

    /// Returns the folders in their order, without duplicates in different spellings.
    package static func distinct(_ folders: [String?]) -> [String] {
        var seen: Set<String> = []
        return folders.compactMap(\.self).filter { seen.insert(URL(fileURLWithPath: $0).standardized.path).inserted }
    }

    package static func read(
        _ path: String,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationFile {
        let bytes: [UInt8]?
        do {
            if let size = try files.size(of: path), size > maxBytes {
                throw ConfigurationError(
                    problems: ["\(path) is \(size) bytes long: too long for a configuration file; check the path"])
            }
            bytes = try files.contents(of: path)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw ConfigurationError(problems: ["\(error); check the path and its permissions"])
        }
        guard let bytes else {
            throw ConfigurationError(
                problems: ["\(path): no such file; check the path, or copy amplifyconfiguration.example.json there"])
        }
        return try parse(bytes, path: path)
    }

    /// Returns the path of a key from the root of the file, such as `analytics.plugins.awsClickstreamPlugin.appId`.
    package static func path(ofKey key: String) -> String { (pluginPath + [key]).joined(separator: ".") }

    /// Returns the object at ``pluginPath``; `nil` if there is none.
    package static func plugin(of root: JSONValue) -> JSONValue? {
        pluginPath.reduce(root) { value, step in value?.members.flatMap { member(step, of: $0) } }
    }

    private static func member(_ name: String, of members: [JSONMember]) -> JSONValue? {
        members.last { $0.name.trimmed(\.isBlank) == name }?.value
    }

    /// Parses the keys under ``pluginPath``; the rest of the file belongs to other plugins.
    package static func parse(_ content: [UInt8], path: String) throws(ConfigurationError) -> ConfigurationFile {
        guard !content.isUTF16 else {
            throw ConfigurationError(problems: ["\(path): \(TextEncoding.utf16Refusal)"])
        }
        let bytes = Array(content.withoutByteOrderMark)
        func place(_ offset: Int) -> String {
            let position = SourcePosition(of: offset, in: bytes)
            return "\(path):\(position.line):\(position.column)"
        }
        let root: JSONValue
        do {
            root = try JSONReader.parse(bytes)
        } catch {
            throw ConfigurationError(problems: ["\(place(error.offset)): not JSON: \(error.reason); correct it there"])
        }
        var value = root
        for (depth, step) in pluginPath.enumerated() {
            let reached = depth == 0 ? "the file" : "'\(pluginPath[..<depth].joined(separator: "."))'"
            guard let members = value.members else {
                throw ConfigurationError(
                    problems: [
                        "\(place(value.offset)): \(reached) must be an object, not \(value.kindDescription); see"
                            + " amplifyconfiguration.example.json"
                    ])
            }
            guard let next = member(step, of: members) else {
                let suggestion = Suggestion.question(about: step, among: members.map(\.name))
                throw ConfigurationError(
                    problems: [
                        "\(place(value.offset)): \(reached) has no '\(step)'; the SDK's keys belong in"
                            + " '\(pluginPath.joined(separator: "."))'" + (suggestion.map { "; \($0)" } ?? "")
                    ])
            }
            value = next
        }
        guard let members = value.members else {
            throw ConfigurationError(
                problems: [
                    "\(place(value.offset)): '\(pluginPath.joined(separator: "."))' must be an object, not"
                        + " \(value.kindDescription); see amplifyconfiguration.example.json"
                ])
        }
        let entries = members.map { member in
            Entry(
                name: member.name,
                value: ConfigurationKey.Value(member.value),
                namePosition: SourcePosition(of: member.nameOffset, in: bytes),
                valuePosition: SourcePosition(of: member.value.offset, in: bytes)
            )
        }
        return ConfigurationFile(path: path, entries: entries)
    }
}

// MARK: - Merging

/// Configuration at the start of a process, with its warnings.
package struct LoadedConfiguration: Sendable, Equatable {
    /// The merged configuration with the source of each key; settings from code are added to it.
    package var layers: ConfigurationLayers
    /// The file that was read, if any.
    package var path: String?
    /// Warnings about unknown keys and suspicious values, one sentence each, with their positions.
    package var warnings: [String]

    package var configuration: Configuration { layers.configuration }

    /// The error in an endpoint, with its source and the text; `nil` for an endpoint, and without one.
    /// - Parameter endpoint: the endpoint in use: the merged one, unless code specifies another.
    package func refusal(ofEndpoint endpoint: String) -> String? {
        guard !endpoint.isEmpty else { return nil }
        let origin = endpoint == configuration.endpoint ? layers.origin(of: "endpoint") : .code
        let source: String? =
            switch origin {
            case .environment(let variable): variable
            case .file(let path): "\(path): '\(ConfigurationFile.path(ofKey: "endpoint"))'"
            case .code, .defaults: nil
            }
        return Endpoint.refusal(of: endpoint, from: source)
    }
}

extension LoadedConfiguration {
    /// Merges a configuration with this precedence: code, environment, file, defaults.
    /// - Parameters:
    ///   - code: the settings of the caller, by key.
    ///   - path: an explicit file, instead of the usual folders.
    /// - Throws: if the explicit file is missing, a file is invalid, or a key does not accept a value, from any source.
    package static func load(
        code: [(name: String, value: ConfigurationKey.Value)] = [],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        path: String? = nil,
        folders: [String] = ConfigurationFile.usualFolders,
        options: [String: String] = [:],
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var loaded = LoadedConfiguration(layers: ConfigurationLayers(), path: nil, warnings: [])
        var errors: [String] = []
        func note(_ problem: ConfigurationProblem, _ text: String) {
            if problem.kind == .unfitValue { errors.append(text) } else { loaded.warnings.append(text) }
        }
        if let file = try ConfigurationFile.find(path: path, folders: folders, in: files) {
            loaded.path = file.path
            loaded.warnings += repetitions(in: file)
            for entry in file.entries {
                guard let problem = loaded.layers.set(entry.name, to: entry.value, from: .file(file.path)) else {
                    continue
                }
                let position = problem.kind == .unknownKey ? entry.namePosition : entry.valuePosition
                let place = "\(file.path):\(position.line):\(position.column)"
                let verb = problem.kind == .unknownKey ? "ignoring " : ""
                note(problem, "\(place): \(verb)\(problem)\(advice(problem, "there"))")
            }
        }
        for problem in loaded.layers.setFromEnvironment(environment) {
            guard problem.kind != .unknownKey else {
                note(
                    problem,
                    "ignoring \(problem.message)" + (problem.suggestion.map { "; did you mean \($0)?" } ?? "")
                )
                continue
            }
            note(problem, "environment: \(problem)\(advice(problem, "or unset the variable"))")
        }
        for (name, value) in code {
            guard let problem = loaded.layers.set(name, to: value, from: .code) else { continue }
            let message = options[name].map { problem.message.replacing("'\(name)'", with: $0, maxReplacements: 1) }
            note(problem, message ?? "code: \(problem)")
        }
        guard errors.isEmpty else { throw ConfigurationError(problems: errors) }
        return loaded
    }

    /// Returns a warning for each key that the file has set before, under this name or another one.
    private static func repetitions(in file: ConfigurationFile) -> [String] {
        var seen: Set<String> = []
        return file.entries.compactMap { entry in
            guard let key = ConfigurationKey.named(entry.name), !seen.insert(key.name).inserted else { return nil }
            let (line, column) = (entry.namePosition.line, entry.namePosition.column)
            return "\(file.path):\(line):\(column): '\(entry.name)' is set twice; the last value counts"
        }
    }

    /// Returns the remedy for an invalid value.
    private static func advice(_ problem: ConfigurationProblem, _ place: String) -> String {
        switch problem.kind {
        case .unfitValue: "; correct it \(place)"
        case .unknownKey: ""
        case .doubtfulValue: ""
        }
    }
}
