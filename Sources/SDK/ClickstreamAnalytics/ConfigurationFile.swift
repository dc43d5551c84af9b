package import ClickstreamCore

#if Library
import FoundationEssentials
#else
import Foundation
#endif

/// Published configuration file, `amplifyconfiguration.json`: search and parsing.
package enum ConfigurationFile {
    package static let name = "amplifyconfiguration.json"
    /// The path of the SDK's keys in the file. Spaces around the last name are ignored, because the published sample
    /// contains one.
    package static let pluginPath = ["analytics", "plugins", "awsClickstreamPlugin"]
    private static let maxBytes = 1 << 20
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
    /// Returns the SDK's keys of the given file, otherwise of the first that exists in the usual folders.
    ///
    /// Those are the working directory, the folder of the executable, and on Apple's systems the app's bundle.
    /// - Parameter path: an explicit file; no other is searched.
    /// - Returns: `nil` if no file was given and none exists.
    package static func find(
        path: String? = nil,
        folders: [String] = usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationSection? {
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

    /// Reads the SDK's keys of a file.
    package static func read(
        _ path: String,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationSection {
        try parse(contents(of: path, in: files), path: path)
    }

    private static func contents(of path: String, in files: any FileSystem) throws(ConfigurationError) -> [UInt8] {
        let bytes: [UInt8]?
        do {
            if let size = try files.size(of: path), size > maxBytes {
                throw ConfigurationError(
                    problems: ["\(path) is \(size) bytes long: too long for a configuration file; check the path"])
            }
            bytes = try files.contents(of: path)
        } catch let error as ConfigurationError {
            throw error
        } catch let error as FileError where error.errno == FileError.folder {
            throw ConfigurationError(problems: ["cannot read \(path): it is a folder; name the file in it"])
        } catch {
            throw ConfigurationError(problems: ["\(error); check the path and its permissions"])
        }
        guard let bytes else {
            throw ConfigurationError(
                problems: ["\(path): no such file; check the path, or copy amplifyconfiguration.example.json there"])
        }
        return bytes
    }

    /// Returns the path of a key from the root of the file, such as `analytics.plugins.awsClickstreamPlugin.appId`.
    package static func path(ofKey key: String) -> String { (pluginPath + [key]).joined(separator: ".") }

    /// Returns the object at ``pluginPath``; `nil` if there is none.
    package static func plugin(of root: JSONValue) -> JSONValue? { value(at: pluginPath, of: root) }

    private static func value(at path: [String], of root: JSONValue) -> JSONValue? {
        path.reduce(root) { value, step in value?.members.flatMap { member(step, of: $0) } }
    }

    private static func member(_ name: String, of members: [JSONMember]) -> JSONValue? {
        members.last { $0.name.trimmed(\.isBlank) == name }?.value
    }

    /// Parses the keys under ``pluginPath``; the rest of the file belongs to other plugins.
    package static func parse(_ content: [UInt8], path: String) throws(ConfigurationError) -> ConfigurationSection {
        let text = try ConfigurationText(content, path: path)
        var value = text.root
        for (depth, step) in pluginPath.enumerated() {
            let reached = depth == 0 ? "the file" : "'\(pluginPath[..<depth].joined(separator: "."))'"
            guard let members = value.members else {
                throw ConfigurationError(
                    problems: [
                        "\(text.location(value.offset)): \(reached) must be an object, not \(value.kindDescription); see"
                            + " amplifyconfiguration.example.json"
                    ])
            }
            guard let next = member(step, of: members) else {
                let suggestion = Suggestion.question(about: step, among: members.map(\.name))
                throw ConfigurationError(
                    problems: [
                        "\(text.location(value.offset)): \(reached) has no '\(step)'; the SDK's keys belong in"
                            + " '\(pluginPath.joined(separator: "."))'" + (suggestion.map { "; \($0)" } ?? "")
                    ])
            }
            value = next
        }
        guard let members = value.members else {
            throw ConfigurationError(
                problems: [
                    "\(text.location(value.offset)): '\(pluginPath.joined(separator: "."))' must be an object, not"
                        + " \(value.kindDescription); see amplifyconfiguration.example.json"
                ])
        }
        return ConfigurationSection(members, of: path, in: text.bytes)
    }

    /// Reads the keys of another library, such as those of capture.
    /// - Parameters:
    ///   - sectionPath: the path of the object of keys from the root of the file.
    ///   - groups: names of the section whose value is an object of keys.
    /// - Returns: `nil` if the file has no such section.
    static func section(
        at sectionPath: [String],
        groups: Set<String>,
        of path: String,
        in files: any FileSystem
    ) throws(ConfigurationError) -> ConfigurationSection? {
        let text = try ConfigurationText(contents(of: path, in: files), path: path)
        guard let object = value(at: sectionPath, of: text.root) else { return nil }
        guard let members = object.members else {
            throw ConfigurationError(
                problems: [
                    "\(text.location(object.offset)): '\(sectionPath.joined(separator: "."))' must be an object, not"
                        + " \(object.kindDescription); correct it there"
                ])
        }
        return ConfigurationSection(members, of: path, in: text.bytes, groups: groups)
    }
}

/// Parsed text of a configuration file.
private struct ConfigurationText {
    let path: String
    /// The text without a byte order mark, to which the offsets of the values refer.
    let bytes: [UInt8]
    let root: JSONValue

    init(_ content: [UInt8], path: String) throws(ConfigurationError) {
        guard !content.isUTF16 else {
            throw ConfigurationError(problems: ["\(path): \(TextEncoding.utf16Refusal)"])
        }
        let bytes = Array(content.withoutByteOrderMark)
        do {
            root = try JSONReader.parse(bytes)
        } catch {
            let position = SourcePosition(of: error.offset, in: bytes)
            throw ConfigurationError(problems: ["\(path):\(position): not JSON: \(error.reason); correct it there"])
        }
        self.path = path
        self.bytes = bytes
    }

    func location(_ offset: Int) -> String { "\(path):\(SourcePosition(of: offset, in: bytes))" }
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

    package var configuration: ClickstreamClient.Configuration { layers.configuration }

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
        var report = ConfigurationReport()
        if let section = try ConfigurationFile.find(path: path, folders: folders, in: files) {
            loaded.path = section.path
            report.check(
                section,
                documentedName: { ConfigurationKey.named($0)?.name },
                apply: { loaded.layers.set($0, to: ConfigurationKey.Value($1), from: .file(section.path)) }
            )
        }
        report.add(environment: loaded.layers.setFromEnvironment(environment))
        for (name, value) in code {
            guard let problem = loaded.layers.set(name, to: value, from: .code) else { continue }
            let message = options[name].map { problem.message.replacing("'\(name)'", with: $0, maxReplacements: 1) }
            report.add(problem, as: message ?? "code: \(problem)")
        }
        guard report.problems.isEmpty else { throw ConfigurationError(problems: report.problems) }
        loaded.warnings = report.warnings
        return loaded
    }

    /// Reads the keys of another library from the file that was read.
    /// - Parameters:
    ///   - sectionPath: the path of the object of keys from the root of the file.
    ///   - groups: names of the section whose value is an object of keys.
    /// - Returns: `nil` without a file, and if it has no such section.
    package func section(
        at sectionPath: [String],
        groups: Set<String>,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) -> ConfigurationSection? {
        guard let path else { return nil }
        return try ConfigurationFile.section(at: sectionPath, groups: groups, of: path, in: files)
    }
}
