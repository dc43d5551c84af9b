import ClickstreamCore

/// Phrases of the clickstream events that the library records; an event of the app has its name and attributes.
enum ClickstreamPhrase {
    static func phrase(of event: EventMembers) -> Phrase? {
        guard let name = name(of: event), Characters.areReserved(name), let attributes = event["attributes"] else {
            return nil
        }
        if let captured = CapturedName(rawValue: name) { return phrase(of: captured, attributes) }
        switch name {
        case EventName.screenView:
            let engagement = duration(attributes)
            let previous = attributes[AttributeName.previousScreenName]?.word
            return Phrase(
                "screen_view",
                attributes[AttributeName.screenName]?.word,
                previous.map { "from \($0)" },
                engagement.map { "after \($0)" }
            )
        case EventName.userEngagement: return duration(attributes).flatMap { Phrase("engagement", $0) }
        case EventName.appException:
            return attributes[AttributeName.exceptionMessage]?.word.flatMap { Phrase("crash:", $0) }
        case EventName.appUpdate: return update("app", attributes[AttributeName.previousAppVersion])
        case EventName.osUpdate: return update("os", attributes[AttributeName.previousOSVersion])
        default: return nil
        }
    }

    /// The name; a published SDK writes it as `event_type` or `event_name`.
    private static func name(of event: EventMembers) -> String? {
        event[FieldName.eventType]?.string ?? event[FieldName.eventName]?.string
    }

    private static func phrase(of name: CapturedName, _ attributes: JSONValue) -> Phrase? {
        func value(_ field: ClickstreamCore.CapturedField) -> JSONValue? { attributes[field.rawValue] }
        let element = Phrase.Fields(attributes, prefix: "_element_")
        switch name {
        case .click: return .tap(on: element)
        case .screenLoad: return Phrase("screen_load", element.label)
        case .gesture:
            let target = Phrase.target(id: value(.targetID), path: value(.target)) ?? element.label
            return .gesture(
                Phrase.Fields(attributes, prefix: "_gesture_"),
                on: value(.elementValue)?.quotedWord ?? target
            )
        case .scroll: return .scroll(value(.scrollDepth), value(.scrollDirection), of: element)
        case .itemsImpression: return .impression(value(.itemsCount), in: element)
        case .transaction:
            return Phrase(
                "transaction",
                attributes[AttributeName.value]?.word,
                attributes[AttributeName.currency]?.word,
                value(.transactionID)?.word
            )
        case .variable:
            return Phrase("variable", value(.variableKey)?.word, value(.variableValue)?.word.map { "= \($0)" })
        }
    }

    private static func duration(_ attributes: JSONValue) -> String? {
        attributes[AttributeName.engagementTime]?.integer.map { ReadableDuration(milliseconds: $0).description }
    }

    private static func update(_ what: String, _ previous: JSONValue?) -> Phrase? {
        previous?.word.flatMap { Phrase("\(what)_update", "from \($0)") }
    }
}
