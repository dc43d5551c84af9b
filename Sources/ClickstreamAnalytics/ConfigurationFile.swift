package import ClickstreamCore
import Foundation

/// The published configuration file, `amplifyconfiguration.json`: where it is looked for, and what it says.
package struct ConfigurationFile: Sendable, Equatable {
    package static let name = "amplifyconfiguration.json"
    /// Where the keys stand in the file. Spaces around the last name are ignored: the published sample has one.
    package static let pluginPath = ["analytics", "plugins", "awsClickstreamPlugin"]
    private static let maxBytes = 1 << 20

    package var path: String
    /// The keys in written order, each with its place in the file.
    package var entries: [Entry]

    /// One key with what the file says for it.
    package struct Entry: Sendable, Equatable {
        package var name: String
        package var value: ConfigurationKey.Value
        /// Where the name stands.
        package var namePosition: SourcePosition
        /// Where the value stands.
        package var valuePosition: SourcePosition
    }
}

/// What keeps a configuration from being read: every fault, each with file, line and column, and what to do about it.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence each, the first one first in the file.
    package var problems: [String]

    package var description: String { problems.joined(separator: "\n") }
}

// MARK: - Finding and reading

extension ConfigurationFile {
    /// The file to use: the one that was asked for, else the first that exists of the usual places.
    ///
    /// Those are the working directory, the folder of the executable, and on Apple's systems the app's bundle.
    /// - Parameter path: a file that was asked for; it is not looked for anywhere else.
    /// - Returns: `nil` when none was asked for and none is there.
    package static func find(
        path: String? = nil,
        folders: [String] = usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationFile? {
        if let path { return try read(path, in: files) }
        for folder in folders {
            let path = folder.isEmpty ? name : folder + "/" + name
            // A place that cannot be looked at is as good as empty: the next one may have the file.
            guard let size = try? files.size(of: path), size >= 0 else { continue }
            return try read(path, in: files)
        }
        return nil
    }

    /// The working directory, then the folder of the executable, then the app's bundle; each folder once.
    package static var usualFolders: [String] {
        distinct([
            FileManager.default.currentDirectoryPath,
            Bundle.main.executablePath.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path },
            Bundle.main.resourcePath,
        ])
    }

    /// The folders in their order, without one that is there already in another spelling.
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
                    problems: ["\(path) is \(size) bytes long: too long for a configuration; is it the right file?"])
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

    /// Reads what stands under ``pluginPath``; the rest of the file is other people's.
    package static func parse(_ content: [UInt8], path: String) throws(ConfigurationError) -> ConfigurationFile {
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
                        "\(place(value.offset)): \(reached) is \(value.kindDescription), an object is expected; see"
                            + " amplifyconfiguration.example.json"
                    ])
            }
            guard let next = members.last(where: { $0.name.trimmingCharacters(in: .whitespaces) == step })?.value else {
                let suggestion = Suggestion.question(about: step, among: members.map(\.name))
                throw ConfigurationError(
                    problems: [
                        "\(place(value.offset)): \(reached) has no '\(step)'; the SDK's keys stand in"
                            + " '\(pluginPath.joined(separator: "."))'" + (suggestion.map { "; \($0)" } ?? "")
                    ])
            }
            value = next
        }
        guard let members = value.members else {
            throw ConfigurationError(
                problems: [
                    "\(place(value.offset)): '\(pluginPath.joined(separator: "."))' is \(value.kindDescription), an object"
                        + " is expected; see amplifyconfiguration.example.json"
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

// MARK: - Putting it together

/// The configuration that a process starts with, and what a person should know about it.
package struct LoadedConfiguration: Sendable, Equatable {
    /// What was put together; knows who set which key, and takes what the code sets.
    package var layers: ConfigurationLayers
    /// The file that was read, if any.
    package var path: String?
    /// Unknown keys and doubtful values, one sentence each, with their places.
    package var warnings: [String]

    package var configuration: Configuration { layers.configuration }
}

extension LoadedConfiguration {
    /// Puts a configuration together: code, then the environment, then the file, then the defaults, the first that says
    /// something about a key wins.
    /// - Parameters:
    ///   - code: what the caller sets itself, by key.
    ///   - path: a file that was asked for, instead of the usual places.
    /// - Throws: when the file that was asked for is not there, a file is not what it should be, or a value does not fit
    ///   its key, wherever it was set.
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

    /// What to do about a value that does not fit.
    private static func advice(_ problem: ConfigurationProblem, _ place: String) -> String {
        switch problem.kind {
        case .unfitValue: "; correct it \(place)"
        case .unknownKey: ""
        case .doubtfulValue: ""
        }
    }
}
