import ClickstreamCapture
import ClickstreamCore

/// Parser of scripts. Checks the whole script before anything runs.
///
/// Names and values are not checked by the SDK's rules here: they reach the library unchanged.
package struct ScriptReader {
    /// Maximum file size: 64 MiB, about a million steps.
    package static let maxBytes = 64 << 20

    private(set) var problems: [ScriptProblem]
    /// The block `ui`, which is read before the steps; `nil` if the script has none.
    private(set) var pages: [String: ScriptedPage]?
    /// Positions of the views that steps refer to, by the position of the step.
    var viewPositions: [SourcePosition: SourcePosition] = [:]

    /// Reads the bytes of a file: JSON if its name ends in `.json`, otherwise YAML.
    ///
    /// Costs a few microseconds per step. Safe for untrusted input.
    /// - Throws: all problems, up to ``ScriptError/limit``.
    package static func read(_ bytes: [UInt8], file: String) throws(ScriptError) -> Script {
        let tree = ScriptReader.tree(of: bytes, isJSON: file.lowercased().hasSuffix(".json"))
        var reader = ScriptReader(problems: tree.problems)
        let script = tree.root.map { reader.script($0) } ?? nil
        if tree.root == nil, reader.problems.isEmpty {
            reader.report(SourcePosition(line: 1, column: 1), "the script is empty", "start it with 'clickstream: 1'")
        }
        guard reader.problems.isEmpty, let script else {
            throw ScriptError(file: file, problems: ScriptReader.sorted(reader.problems))
        }
        return script
    }

    /// The first problems in the order of the file, without duplicates.
    private static func sorted(_ problems: [ScriptProblem]) -> [ScriptProblem] {
        var seen: Set<ScriptProblem> = []
        let sorted = problems.filter { seen.insert($0).inserted }.enumerated().sorted { left, right in
            let (one, other) = (left.element.position, right.element.position)
            return (one.line, one.column, left.offset) < (other.line, other.column, right.offset)
        }
        return sorted.prefix(ScriptError.limit).map(\.element)
    }

    private static func tree(of bytes: [UInt8], isJSON: Bool) -> ScriptTree {
        let start = SourcePosition(line: 1, column: 1)
        guard bytes.count <= maxBytes else {
            return ScriptTree(problems: [ScriptProblem(at: start, "the script is longer than \(maxBytes) bytes")])
        }
        let content = Array(bytes.withoutByteOrderMark)
        if isJSON { return ScriptTree(json: content) }
        guard let text = String(validating: content, as: UTF8.self) else {
            let position = SourcePosition(of: invalidOffset(in: content), in: content)
            return ScriptTree(problems: [ScriptProblem(at: position, "the text is not valid UTF-8")])
        }
        #if Tools
        return ScriptTree(yaml: text)
        #else
        return ScriptTree(
            problems: [
                ScriptProblem(
                    at: start,
                    "this build cannot read YAML (\(text.utf8.count) bytes)",
                    suggestion: "build with the trait Tools, or write the script as JSON"
                )
            ]
        )
        #endif
    }

    private static func invalidOffset(in bytes: [UInt8]) -> Int {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
        return offset
    }

    // MARK: - The script

    private mutating func script(_ root: ScriptNode) -> Script? {
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

    private mutating func checkVersion(_ node: ScriptNode?, at position: SourcePosition) {
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

    private mutating func timeZone(_ node: ScriptNode) -> ZoneOffset? {
        guard let name = text(node, "'time_zone'") else { return nil }
        guard let zone = ZoneOffset(name) else {
            let question = Suggestion.question(about: name, among: ZoneOffset.knownNames)
            report(node.position, "unknown time zone '\(name)'", question ?? "use an IANA name such as Asia/Shanghai")
            return nil
        }
        return zone
    }

    /// The blocks `app`, `device` and `config`, at the top as in `launch`.
    mutating func launchFacts(_ fields: [String: ScriptNode]) -> LaunchFacts {
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

    mutating func report(_ position: SourcePosition, _ message: String, _ suggestion: String?) {
        problems.append(ScriptProblem(at: position, message, suggestion: suggestion))
    }

    /// Reports a node of another type than `expected`.
    mutating func reportType(_ node: ScriptNode, _ what: String, expected: String, hint: String? = nil) {
        if case .unreadable = node.content { return }
        report(node.position, "\(what) must be \(expected), not \(node.kindDescription)", hint)
    }

    /// The values of a mapping by their keys; unknown keys are reported and omitted.
    mutating func mapping(_ node: ScriptNode, _ what: String, keys: [String]) -> [String: ScriptNode] {
        guard case .mapping(let entries) = node.content else {
            reportType(node, what, expected: "a mapping with \(ScriptReader.list(keys))")
            return [:]
        }
        var values: [String: ScriptNode] = [:]
        for entry in entries {
            if keys.contains(entry.key) {
                values[entry.key] = entry.value
            } else {
                let question = Suggestion.question(about: entry.key, among: keys)
                let hint = question ?? "valid keys: \(ScriptReader.list(keys))"
                report(entry.keyPosition, "unknown key '\(entry.key)' in \(what)", hint)
            }
        }
        return values
    }

    mutating func text(_ node: ScriptNode, _ what: String) -> String? {
        if case .string(let text) = node.content { return text }
        reportType(node, what, expected: "a string", hint: node.quotationHint)
        return nil
    }

    mutating func integer(
        _ node: ScriptNode,
        _ what: String,
        in range: ClosedRange<Int64> = .min ... .max
    ) -> Int64? {
        guard case .integer(let integer) = node.content else {
            reportType(node, what, expected: "an integer")
            return nil
        }
        guard range.contains(integer) else {
            let bounds =
                range.upperBound == .max
                ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            report(node.position, "\(what) must be \(bounds), not \(integer)", nil)
            return nil
        }
        return integer
    }

    mutating func boolean(_ node: ScriptNode, _ what: String) -> Bool? {
        if case .boolean(let truth) = node.content { return truth }
        reportType(node, what, expected: "true or false")
        return nil
    }

    mutating func date(_ node: ScriptNode, _ what: String) -> Timestamp? {
        guard case .string(let text) = node.content else {
            reportType(node, what, expected: "a date like 2023-09-05T13:19:26.703Z")
            return nil
        }
        do throws(DateText.Mistake) {
            return try DateText.timestamp(text)
        } catch {
            report(node.position, "\(what) is '\(text)': \(error)", nil)
            return nil
        }
    }

    /// Names with values in written order. Names are checked by the library.
    mutating func attributes(_ node: ScriptNode, _ what: String) -> Attributes {
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

    /// `one, two or three`
    static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
