import ClickstreamCapture
import ClickstreamCore

/// Phrases of Contentsquare events.
enum ContentsquarePhrase {
    /// The maximum number of custom variables that a screen shows.
    private static let maxVariables = 4

    static func phrase(of event: EventMembers) -> Phrase? {
        guard let code = event["ea"]?.integer else { return nil }
        func target() -> String? { Phrase.target(id: event["tvid"], path: event["tvp"]) }
        func direction() -> String? {
            event["fd"]?.integer.flatMap { Int(exactly: $0) }.flatMap { TouchGesture.Direction(rawValue: $0) }?.name
        }
        switch code {
        case 0: return Phrase("app start")
        case 1: return Phrase("app show")
        case 2: return Phrase("app hide")
        case 4: return Phrase(words: ["screenview", event["st"]?.word] + variables(event["cv"]))
        case 6: return Phrase("tap", target(), event["ur"]?.boolean == false ? "(not handled)" : nil)
        case 8: return Phrase("long press", target())
        case 9: return Phrase("drag", direction(), target())
        case 10: return Phrase("swipe", direction(), target())
        case 16:
            let transaction = event["tr"]
            return Phrase(
                "transaction",
                transaction?["vl"]?.word,
                currency(transaction?["cu"]),
                transaction?["id"]?.word
            )
        case 18, 19: return Phrase("variable", event["k"]?.word, event["v"]?.word.map { "= \($0)" })
        default: return Phrase("ea \(code)")
        }
    }

    /// Custom variables, which have a name and a value at each index.
    private static func variables(_ value: JSONValue?) -> [String?] {
        let named = (value?.members ?? []).flatMap { $0.value.members ?? [] }
        return named.prefix(maxVariables).map { variable in
            variable.value.word.map { "\(Phrase.word(variable.name))=\($0)" }
        }
    }

    private static func currency(_ value: JSONValue?) -> String? {
        value?.integer.flatMap { Int(exactly: $0) }.flatMap { Capture.Currency(code: $0)?.letters } ?? value?.word
    }
}
