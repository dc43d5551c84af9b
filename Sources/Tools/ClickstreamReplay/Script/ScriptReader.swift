import ClickstreamCapture
import ClickstreamCore
package import ClickstreamDocuments

/// Parser of scripts. Checks the whole script before anything runs.
///
/// Names and values are not checked by the SDK's rules here: they reach the library unchanged.
package struct ScriptReader: DocumentReader {
    package var problems: [DocumentProblem]
    /// The block `ui`, which is read before the steps; `nil` if the script has none.
    private(set) var pages: [String: ScriptedPage]?
    /// Positions of the views that steps refer to, by the position of the step.
    var viewPositions: [SourcePosition: SourcePosition] = [:]

    /// Reads the bytes of a file: JSON if its name ends in `.json`, otherwise YAML.
    ///
    /// Costs a few microseconds per step. Safe for untrusted input.
    /// - Throws: all problems, up to ``DocumentError/limit``.
    package static func read(_ bytes: [UInt8], file: String) throws(DocumentError) -> Script {
        let tree = DocumentTree.read(bytes, isJSON: file.lowercased().hasSuffix(".json"), noun: "script")
        var reader = ScriptReader(problems: tree.problems)
        let script = tree.root.map { reader.script($0) } ?? nil
        if tree.root == nil, reader.problems.isEmpty {
            reader.report(SourcePosition(line: 1, column: 1), "the script is empty", "start it with 'clickstream: 1'")
        }
        guard reader.problems.isEmpty, let script else {
            throw DocumentError(file: file, unsorted: reader.problems)
        }
        return script
    }

    // MARK: - The script

    private mutating func script(_ root: DocumentNode) -> Script? {
        guard case .mapping = root.content else {
            report(
                root.position,
                "a script must be a mapping, not \(root.kindDescription)",
                "start it with 'clickstream: 1'"
            )
            return nil
        }
        let fields = mapping(root, "the script", keys: Vocabulary.scriptKeys)
        checkVersion(fields["clickstream"], at: root.position)
        let facts = launchFacts(fields)
        let zone = fields["time_zone"].flatMap { timeZone($0) }
        let start = fields["start"].flatMap { date($0, "'start'") }
        let seed = fields["seed"].flatMap { integer($0, "'seed'", in: 0...Int64.max) }
        pages = fields["ui"].map { pages($0) }
        guard let list = fields["steps"] else {
            report(root.position, "the script has no 'steps'", "add 'steps:' with a list that starts with 'launch'")
            return nil
        }
        let steps = self.steps(list, "'steps'")
        if let steps {
            problems += StepOrder.problems(of: steps, at: list.position)
            problems += PageOrder.problems(of: steps, pages: pages ?? [:], positions: viewPositions)
        }
        return Script(
            seed: seed.map(UInt64.init) ?? 1,
            start: start,
            timeZone: zone ?? .utc,
            facts: facts,
            pages: pages,
            steps: steps ?? []
        )
    }

    private mutating func checkVersion(_ node: DocumentNode?, at position: SourcePosition) {
        guard let node else {
            report(
                position,
                "the script has no 'clickstream:', the version of its format",
                "start it with 'clickstream: 1'"
            )
            return
        }
        guard let version = integer(node, "'clickstream'"), version != Script.version else { return }
        report(node.position, "unknown format version \(version)", "this program reads version \(Script.version)")
    }

    private mutating func timeZone(_ node: DocumentNode) -> ZoneOffset? {
        guard let name = text(node, "'time_zone'") else { return nil }
        guard let zone = ZoneOffset(name) else {
            let question = Suggestion.question(about: name, among: ZoneOffset.knownNames)
            report(node.position, "unknown time zone '\(name)'", question ?? "use an IANA name such as Asia/Shanghai")
            return nil
        }
        return zone
    }

    /// The blocks `app`, `device` and `config`, at the top as in `launch`.
    mutating func launchFacts(_ fields: [String: DocumentNode]) -> LaunchFacts {
        var facts = LaunchFacts()
        if let node = fields["app"] {
            let texts = mapping(node, "'app'", keys: Vocabulary.appKeys)
            for (key, path) in AppFacts.texts {
                facts.app[keyPath: path] = texts[key].flatMap { text($0, "'\(key)'") }
            }
        }
        if let node = fields["device"] {
            let values = mapping(node, "'device'", keys: Vocabulary.deviceKeys)
            for (key, path) in DeviceFacts.texts {
                facts.device[keyPath: path] = values[key].flatMap { text($0, "'\(key)'") }
            }
            for (key, path) in DeviceFacts.pixels {
                let pixels = values[key].flatMap { integer($0, "'\(key)'", in: 0...Int64(Int32.max)) }
                facts.device[keyPath: path] = pixels.map(Int.init)
            }
        }
        if let node = fields["config"] {
            (facts.configuration, facts.capture) = configuration(node, "'config'")
        }
        return facts
    }

    // MARK: - Values

    mutating func date(_ node: DocumentNode, _ what: String) -> Timestamp? {
        guard case .string(let text) = node.content else {
            reportType(node, what, expected: "a date like 2023-09-05T13:19:26.703Z")
            return nil
        }
        do throws(DateText.ParseError) {
            return try DateText.timestamp(text)
        } catch {
            report(node.position, "\(what) is '\(text)': \(error)", nil)
            return nil
        }
    }

    /// Names with values in written order. Names are checked by the library.
    mutating func attributes(_ node: DocumentNode, _ what: String) -> Attributes {
        guard case .mapping(let entries) = node.content else {
            reportType(node, what, expected: "a mapping of attributes")
            return [:]
        }
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(entries.count)
        for entry in entries {
            switch entry.value.content {
            case .string(let text): pairs.append((entry.key, .string(text)))
            case .integer(let integer): pairs.append((entry.key, .integer(integer)))
            case .double(let double): pairs.append((entry.key, .double(double)))
            case .boolean(let truth): pairs.append((entry.key, .boolean(truth)))
            case .unreadable: break
            case .null, .list, .mapping:
                reportType(entry.value, "the attribute '\(entry.key)'", expected: "a string, a number, true or false")
            }
        }
        return Attributes(pairs)
    }
}
