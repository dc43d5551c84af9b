import ClickstreamCore

/// Phrases of Pulse events.
enum PulsePhrase {
    /// The maximum number of properties that an event of the app shows.
    private static let maxProperties = 4

    static func phrase(of event: EventMembers) -> Phrase? {
        let type = event["event_type"]
        let data = event["data"]
        let element = Phrase.Fields(data?["element"])
        switch type?.string {
        case "page_load", "page_view":
            let count = element["sequence"]?.integer ?? 1
            return Phrase(type?.word, element.label, count > 1 ? "(appearance \(count))" : nil)
        case "click": return .tap(on: element)
        case "scroll":
            let scroll = data?["scroll_info"]
            return .scroll(scroll?["scroll_depth"], scroll?["direction"], of: element)
        case "gesture":
            let target = Phrase.Fields(data?["target_info"])
            return .gesture(Phrase.Fields(data?["gesture_params"]), on: target.label)
        case "items_impression": return .impression(data?["items_count"], in: element)
        default:
            let properties = data?["additional_properties"]?.members?.prefix(maxProperties) ?? []
            let words = properties.map { property in
                property.value.word.map { "\(Phrase.word(property.name))=\($0)" }
            }
            return Phrase(words: [type?.word] + words)
        }
    }
}
