import ClickstreamCore
import ClickstreamDocuments

/// User, settings and delivery of the client.
extension Verb {
    static let client = [
        userID, user, global, deleteGlobal, configure, enable, disable, consent, flush, network, repetition,
    ]

    private static let userID = Verb(
        "user_id",
        value: "a string or null",
        schema: .types("string", "null"),
        summary: "setUserId; null logs out.",
        placeholder: .userID(nil)
    ) { reader, node, verb in
        switch node.content {
        case .string(let id): return .userID(id)
        case .null: return .userID(nil)
        case .boolean, .integer, .double, .list, .mapping, .unreadable:
            reader.reportType(node, verb, hint: node.quotationHint)
            return nil
        }
    }

    private static let user = Verb(
        "user",
        value: "a mapping of attributes",
        schema: .attributes,
        summary: "addUserAttributes",
        placeholder: .addUserAttributes([:])
    ) { reader, node, verb in
        .addUserAttributes(reader.attributes(node, verb.quoted))
    }

    private static let global = Verb(
        "global",
        value: "a mapping of attributes",
        schema: .attributes,
        summary: "addGlobalAttributes",
        placeholder: .addGlobalAttributes([:])
    ) { reader, node, verb in
        .addGlobalAttributes(reader.attributes(node, verb.quoted))
    }

    private static let deleteGlobal = Verb(
        "delete_global",
        value: "a list of names",
        schema: .list(of: .text),
        summary: "deleteGlobalAttributes",
        placeholder: .deleteGlobalAttributes([])
    ) { reader, node, verb in
        guard case .list(let nodes) = node.content else {
            reader.reportType(node, verb)
            return nil
        }
        var names: [String] = []
        for node in nodes {
            if let name = reader.text(node, "a name in \(verb.quoted)") { names.append(name) }
        }
        return .deleteGlobalAttributes(names)
    }

    private static let configure = Verb(
        "configure",
        value: "a mapping of configuration keys",
        schema: .definition("config"),
        summary: "Changes the configuration of the running client.",
        placeholder: .configure([])
    ) { reader, node, _ in
        reader.configuration(ofStep: node)
    }

    private static let enable = Verb("enable", .enable, summary: "Turns recording on or off.")
    private static let disable = Verb("disable", .disable, summary: "Turns recording on or off.")

    private static let consent = Verb(
        "consent",
        value: "a mapping with \(String.list(purposes, "or"))",
        schema: .mapping(purposes, of: decision),
        summary: "Decisions of the person, in written order: setConsent.",
        placeholder: .consent([])
    ) { reader, node, verb in
        guard case .mapping(let entries) = node.content else {
            reader.reportType(node, verb)
            return nil
        }
        var decisions: [Step.ConsentStep] = []
        for entry in entries {
            guard let purpose = ConsentPurpose(rawValue: entry.key) else {
                let question = Suggestion.question(about: entry.key, among: verb.schema.keys)
                reader.report(entry.keyPosition, "unknown purpose '\(entry.key)'", question)
                continue
            }
            guard let word = reader.text(entry.value, "'\(entry.key)'") else { continue }
            guard let decision = ConsentDecision(rawValue: word) else {
                reader.reportUnknown("decision", word, at: entry.value.position, among: decisionWords)
                continue
            }
            decisions.append(Step.ConsentStep(purpose, decision))
        }
        return .consent(decisions)
    }

    private static let purposes = ConsentPurpose.allCases.map(\.rawValue)
    private static let decision = ValueSchema.words(decisionWords)
    private static let decisionWords = ConsentDecision.allCases.map(\.rawValue)

    private static let flush = Verb("flush", .flush, summary: "flushEvents")

    private static let network = Verb(
        "network",
        value: networks.map(\.word).joined(separator: ", "),
        schema: .words(networks.map(\.word)),
        summary: "Network as the device reports it.",
        placeholder: .network(.unknown)
    ) { reader, node, verb in
        reader.word(node, verb.quoted, named: "network", of: networks).map { .network($0) }
    }

    private static let networks = Step.NetworkChange.allCases.map { (word: $0.rawValue, value: $0) }

    private static let repetition = Verb(
        "repeat",
        value: "a mapping with times and steps",
        schema: .mapping(
            ["times": .integer(in: 0...StepOrder.maxSteps), "steps": .definition("steps")],
            required: ["times", "steps"]
        ),
        summary: "Repeats the steps.",
        placeholder: nil
    ) { reader, node, verb in
        guard let fields = reader.fields(node, of: verb) else { return nil }
        for key in verb.schema.keys where fields[key] == nil {
            reader.report(node.position, "\(verb.quoted) has no '\(key)'", nil)
        }
        let times = fields["times"].flatMap { reader.integer($0, "'times'", in: 0...StepOrder.maxSteps) }
        let steps = fields["steps"].flatMap { reader.steps($0, "'steps'") }
        guard let times, let steps else { return nil }
        return .repeat(times: Int(times), steps: steps)
    }
}
