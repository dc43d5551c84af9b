import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamCore
import Foundation

/// Configuration of a program that is captured without a change: settings of the SDK and of capture.
///
/// Sources are the environment, then `amplifyconfiguration.json`, then the defaults. The keys of capture have the names of
/// replay scripts, and are at `analytics.plugins.clickstreamCapture`.
struct PreloadConfiguration: Sendable {
    /// Variable with the path of the configuration file, instead of the usual folders.
    static let fileVariable = "CLICKSTREAM_CONFIGURATION_FILE"
    static let path = ["analytics", "plugins", "clickstreamCapture"]

    /// The file that was read or searched for; `nil` for the usual folders.
    var file: String?
    /// True if neither environment nor file has the key `endsOnSignals`.
    var leavesSignals: Bool
    var capture: CaptureConfiguration
    /// Warnings about unknown keys of capture.
    var warnings: [String]

    /// Reads the configuration.
    /// - Throws: if the file or a value is invalid, with the position in the file or the name of the variable.
    init(
        environment: [String: String],
        folders: [String] = ConfigurationFile.usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) {
        file = environment.setting(Self.fileVariable)
        let loaded = try LoadedConfiguration.load(environment: environment, path: file, folders: folders, in: files)
        leavesSignals = loaded.layers.origin(of: "endsOnSignals") == .defaults
        var settings = CaptureSettings()
        if let path = loaded.path { try settings.read(path, in: files) }
        settings.read(environment)
        settings.check()
        guard settings.problems.isEmpty else { throw ConfigurationError(problems: settings.problems) }
        capture = settings.configuration
        warnings = settings.warnings
    }
}

/// Settings of capture, from their sources in ascending order of precedence.
private struct CaptureSettings {
    var problems: [String] = []
    var warnings: [String] = []
    private var autoEvents = AutoEventType.all
    private var optOut: Set<String> = []
    private var masked: Set<String> = []
    private var pulse = PulseSettings()
    private var contentsquare = ContentsquareSettings(projectID: 0)

    private typealias Apply = (inout CaptureSettings, String) -> String?

    /// Path of each key, with the assignment of its text; lists are separated by commas. An assignment returns the
    /// expected value if the text is not one.
    private static var keys: [(path: String, apply: Apply)] {
        [
            ("autoEvents", { $0.setAutoEvents($1) }),
            ("optOut", { settings, text in settings.set(\.optOut, to: Set(list(text))) }),
            ("masked", { settings, text in settings.set(\.masked, to: Set(list(text))) }),
            ("pulse.endpoint", { $0.set(\.pulse.endpoint, toEndpoint: $1) }),
            ("pulse.authCookie", { settings, text in settings.set(\.pulse.authCookie, to: text) }),
            ("contentsquare.endpoint", { $0.set(\.contentsquare.endpoint, toEndpoint: $1) }),
            ("contentsquare.projectId", { $0.set(\.contentsquare.projectID, toNumber: $1) }),
            ("contentsquare.batchSize", { $0.set(\.contentsquare.batchSize, toNumber: $1) }),
        ]
    }

    /// The formats with an endpoint are enabled.
    var configuration: CaptureConfiguration {
        CaptureConfiguration(
            autoEvents: autoEvents,
            classRules: ClassRules(
                optBehavior: Dictionary(uniqueKeysWithValues: optOut.map { ($0, .autoOptOut) }),
                masked: masked
            ),
            pulse: pulse.endpoint.isEmpty ? nil : pulse,
            contentsquare: contentsquare.endpoint.isEmpty ? nil : contentsquare
        )
    }

    // MARK: Sources

    /// Reads environment variables: `CLICKSTREAM_` and the key in upper snake case, such as
    /// `CLICKSTREAM_PULSE_ENDPOINT`. A variable that is empty or white space is ignored.
    mutating func read(_ environment: [String: String]) {
        for (path, apply) in Self.keys {
            let variable = "CLICKSTREAM_" + path.reduce(into: "") { $0 += $1 == "." ? "_" : Self.upperSnake($1) }
            guard let text = environment.setting(variable) else { continue }
            guard let expected = apply(&self, text) else { continue }
            problems.append(
                "environment: \(variable) must be \(expected), not '\(text)'; correct it or unset the variable"
            )
        }
    }

    private static func upperSnake(_ character: Character) -> String {
        character.isUppercase ? "_\(character)" : character.uppercased()
    }

    /// Reads the section of the file, which was parsed before.
    mutating func read(_ path: String, in files: any FileSystem) throws(ConfigurationError) {
        let bytes: [UInt8]
        let root: JSONValue
        do {
            bytes = Array((try files.contents(of: path) ?? []).withoutByteOrderMark)
            root = try JSONReader.parse(bytes)
        } catch {
            throw ConfigurationError(problems: ["\(path): \(error); check the path and its permissions"])
        }
        var section: JSONValue? = root
        for name in PreloadConfiguration.path {
            section = section?.members?.last { $0.name.trimmingCharacters(in: .whitespaces) == name }?.value
        }
        guard let section else { return }
        read(section, at: "") { offset in
            let position = SourcePosition(of: offset, in: bytes)
            return "\(path):\(position.line):\(position.column)"
        }
    }

    private mutating func read(_ object: JSONValue, at prefix: String, place: (Int) -> String) {
        guard let members = object.members else {
            let name = prefix.isEmpty ? PreloadConfiguration.path.joined(separator: ".") : String(prefix.dropLast())
            problems.append("\(place(object.offset)): '\(name)' must be an object, not \(object.kindDescription)")
            return
        }
        for member in members {
            let name = prefix + member.name
            if Self.keys.contains(where: { $0.path.hasPrefix(name + ".") }) {
                read(member.value, at: name + ".", place: place)
            } else if let key = Self.keys.first(where: { $0.path == name }) {
                let text = Self.text(of: member.value)
                let expected = text.map { key.apply(&self, $0) } ?? "text, a number or a list of texts"
                guard let expected else { continue }
                problems.append(
                    "\(place(member.value.offset)): '\(name)' must be \(expected), not"
                        + " \(text.map { "'\($0)'" } ?? member.value.kindDescription)"
                )
            } else {
                let question = Suggestion.question(about: name, among: Self.keys.map(\.path))
                warnings.append(
                    "\(place(member.nameOffset)): ignoring unknown key '\(name)' of capture"
                        + (question.map { "; \($0)" } ?? "")
                )
            }
        }
    }

    /// The text of a variable with the same meaning; `nil` for other types.
    private static func text(of value: JSONValue) -> String? {
        switch value.kind {
        case .string(let text): return text.withoutOuterWhiteSpace
        case .number: return value.integer.map(String.init)
        case .array(let values):
            let texts = values.compactMap { value in if case .string(let text) = value.kind { text } else { nil } }
            return texts.count == values.count ? texts.joined(separator: ",") : nil
        default: return nil
        }
    }

    // MARK: Values

    /// Reports a key without which an enabled format is not usable.
    mutating func check() {
        guard !contentsquare.endpoint.isEmpty, contentsquare.projectID == 0 else { return }
        problems.append(
            "'contentsquare.projectId' is missing: set it in \(ConfigurationFile.name) or in"
                + " CLICKSTREAM_CONTENTSQUARE_PROJECT_ID"
        )
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map(\.withoutOuterWhiteSpace)
    }

    private mutating func setAutoEvents(_ text: String) -> String? {
        let names = Self.list(text)
        let types = names.map(AutoEventType.named)
        guard types.allSatisfy({ $0 != nil }) else {
            return "a list of \(AutoEventType.all.map(\.name).joined(separator: ", "))"
        }
        return set(\.autoEvents, to: types.compactMap(\.self))
    }

    private mutating func set<Value>(_ member: WritableKeyPath<Self, Value>, to value: Value) -> String? {
        self[keyPath: member] = value
        return nil
    }

    private mutating func set(_ member: WritableKeyPath<Self, String>, toEndpoint text: String) -> String? {
        guard (try? Endpoint(text)) != nil else { return "an http or https URL" }
        return set(member, to: text)
    }

    private mutating func set(_ member: WritableKeyPath<Self, Int>, toNumber text: String) -> String? {
        guard let number = Int(text), number > 0 else { return "a positive number" }
        return set(member, to: number)
    }
}
