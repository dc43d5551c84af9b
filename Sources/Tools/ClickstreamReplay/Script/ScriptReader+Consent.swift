import ClickstreamCore
import ClickstreamDocuments

extension ScriptReader {
    /// The step `consent`: a mapping of purposes to decisions.
    mutating func consent(_ node: DocumentNode) -> Step.Action? {
        guard case .mapping(let entries) = node.content else {
            reportType(node, "'consent'", expected: Vocabulary.consentValue)
            return nil
        }
        var decisions: [Step.ConsentStep] = []
        for entry in entries {
            guard let purpose = ConsentPurpose(rawValue: entry.key) else {
                let question = Suggestion.question(about: entry.key, among: Vocabulary.consentKeys)
                report(entry.keyPosition, "unknown purpose '\(entry.key)'", question)
                continue
            }
            guard let word = text(entry.value, "'\(entry.key)'") else { continue }
            guard let decision = ConsentDecision(rawValue: word) else {
                let words = String.list(Vocabulary.consentWords, "or")
                let question = Suggestion.question(about: word, among: Vocabulary.consentWords)
                report(entry.value.position, "unknown decision '\(word)'", question ?? "valid values: \(words)")
                continue
            }
            decisions.append(Step.ConsentStep(purpose, decision))
        }
        return .consent(decisions)
    }
}
