import ClickstreamCore
import ClickstreamJudges

/// An event in hand-written form: `{ "event_type" or "name", "attributes", "items", "user" }`.
struct EventInput: Sendable, Hashable {
    /// `nil` if there is none that is a string.
    var name: String?
    var attributes = Attributes()
    var items: [Attributes] = []
    /// The user's attributes, bare or as `{ "value", "set_timestamp" }`.
    var user = Attributes()
    /// Unknown keys that are not similar to a known one.
    var otherKeys: [String] = []

    /// Structural mistake outside the rules: input that the library's API cannot represent.
    struct Diagnostic: Sendable, Hashable {
        var code: String
        var subject: Violation.Subject
        var name: String
        /// The cause, with advice if it is not obvious.
        var message: String
        /// Offset in the text.
        var offset: Int
    }

    /// Keys of the event's name; the first non-null one is used.
    private static let nameKeys = [FieldName.eventType, FieldName.eventName, "name"]
    private static let keys = [FieldName.eventType, "name", FieldName.attributes, FieldName.items, FieldName.user]
    private static let words = Suggestion.Words(keys)

    /// Reads all valid parts of an event. `null` counts as absent.
    /// - Returns: the event, the first `Rules.maxFindings` of its mistakes in the order event, attributes, items, user, and
    ///   the number of the others.
    static func read(_ json: JSONValue) -> (draft: EventInput, diagnostics: [Diagnostic], unlisted: Int) {
        var draft = EventInput()
        var diagnostics = Diagnostics()
        guard let members = json.members else {
            diagnostics.add(
                ServerRule.notAnObject.code,
                .event,
                "event",
                "the event is \(json.kindDescription), not an object",
                json.offset
            )
            return (draft, diagnostics.listed, diagnostics.unlisted)
        }
        for member in members where !nameKeys.contains(member.name) && !keys.contains(member.name) {
            guard let nearest = words.nearest(to: member.name)?.word else {
                draft.otherKeys.append(member.name)
                continue
            }
            diagnostics.add(
                LineRule.unknownKey.code,
                .event,
                member.name,
                "unknown key \"\(Characters.reported(member.name))\"; did you mean \"\(nearest)\"?",
                member.nameOffset
            )
        }
        let names = nameKeys.compactMap { json[$0] }
        let name = names.first { !$0.isNull } ?? names.first
        if let text = name?.string {
            draft.name = text
        } else {
            diagnostics.add(
                ServerRule.missingEventType.code,
                .event,
                FieldName.eventType,
                "the event has no \"event_type\" that is a string",
                name?.offset ?? json.offset
            )
        }
        draft.attributes = attributes(json[FieldName.attributes], named: FieldName.attributes, .attribute, &diagnostics)
        if let items = json[FieldName.items], !items.isNull {
            if items.array == nil {
                diagnostics.add(
                    ServerRule.notAnArray.code,
                    .item,
                    FieldName.items,
                    "\"items\" is \(items.kindDescription), not an array",
                    items.offset
                )
            }
            draft.items = (items.array ?? []).enumerated().map { index, item in
                attributes(item, named: "items[\(index)]", .item, &diagnostics)
            }
        }
        draft.user = attributes(json[FieldName.user], named: FieldName.user, .userAttribute, &diagnostics)
        return (draft, diagnostics.listed, diagnostics.unlisted)
    }

    private struct Diagnostics {
        var listed: [Diagnostic] = []
        var unlisted = 0

        mutating func add(
            _ code: String,
            _ subject: Violation.Subject,
            _ name: String,
            _ message: @autoclosure () -> String,
            _ offset: Int
        ) {
            guard listed.count < Rules.maxFindings else {
                unlisted += 1
                return
            }
            listed.append(
                Diagnostic(
                    code: code,
                    subject: subject,
                    name: Characters.reported(name),
                    message: message(),
                    offset: offset
                )
            )
        }
    }

    private static func attributes(
        _ json: JSONValue?,
        named path: String,
        _ subject: Violation.Subject,
        _ diagnostics: inout Diagnostics
    ) -> Attributes {
        guard let json, !json.isNull || subject == .item else { return [:] }
        guard let members = json.members else {
            diagnostics.add(
                ServerRule.notAnObject.code,
                subject,
                path,
                "\"\(path)\" is \(json.kindDescription), not an object",
                json.offset
            )
            // A valid placeholder: it has no further findings, and later items keep their indices.
            return subject == .item ? [ItemName.id: 0] : [:]
        }
        var pairs: [(String, AttributeValue)] = []
        for member in members {
            var json = member.value
            if subject == .userAttribute, let inner = json["value"] { json = inner }
            if json.isNull { continue }
            if let value = AttributeValue(json: json) {
                pairs.append((member.name, value))
                continue
            }
            diagnostics.add(
                LineRule.unfitValue.code,
                subject,
                member.name,
                "\"\(Characters.reported(member.name))\" in \"\(path)\" is \(json.kindDescription); "
                    + "use a string, a number, true or false",
                json.offset
            )
        }
        return Attributes(pairs)
    }
}
