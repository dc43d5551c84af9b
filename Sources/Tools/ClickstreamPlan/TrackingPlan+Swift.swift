import ClickstreamCore

extension TrackingPlan {
    /// Swift source with one struct per planned event, in the form that `ClickstreamAnalytics.record` accepts.
    ///
    /// Types, required attributes and listed values are checked by the compiler. The other rules are in the
    /// documentation comments. Events of the SDK are omitted.
    /// - Parameter isPublic: true if the generated types are public.
    package func swift(isPublic: Bool = false) -> String {
        swiftSource(isPublic: isPublic).text
    }

    /// The names in ``swift(isPublic:)`` that differ from the usual ones, of events before those of attributes.
    package var swiftNameChanges: [SwiftNameChange] {
        swiftSource(isPublic: false).changes
    }

    private func swiftSource(isPublic: Bool) -> (text: String, changes: [SwiftNameChange]) {
        let events = events.filter { !Characters.areReserved($0.name) }
        var names = SwiftNames(reserved: SwiftNames.types.union(PlatformNames.all))
        // Reserved names come last, so that an event `error` leaves its name to `error_event`.
        let (kept, reserved) = (
            events.filter { !names.reservesType($0.name) }, events.filter { names.reservesType($0.name) }
        )
        var types: [String: String] = [:]
        for event in kept + reserved {
            types[event.name] = names.type(event.name, suffix: "Event", at: "events.\(event.name)")
        }
        var writer = SwiftEventWriter(access: isPublic ? "public " : "")
        var text = "// Generated from a tracking plan by 'clickstream-cli plan swift'. Do not edit.\n\n"
        text += "\(writer.access)import ClickstreamAnalytics\n"
        for event in events {
            guard let type = types[event.name] else { continue }
            text += "\n" + writer.source(of: event, named: type)
        }
        return (text, names.changes + writer.changes)
    }
}

/// Writer of the structs of events.
private struct SwiftEventWriter {
    /// Access modifier with a space, or empty.
    let access: String
    /// Names of properties, cases and nested types that differ from the usual ones.
    private(set) var changes: [SwiftNameChange] = []

    init(access: String) {
        self.access = access
    }

    /// A stored property with its attribute.
    private struct Property {
        var name: String
        var key: String
        var type: String
        var isRequired: Bool
        var comment: String
        /// True for the items of the event, false for an attribute, also for one named `items`.
        var areItems = false
    }

    mutating func source(of event: PlannedEvent, named type: String) -> String {
        let path = "events.\(event.name)"
        var text = comment(event.summary ?? "The event `\(event.name)`.", "")
        text += "\(access)struct \(type): ClickstreamEvent, Sendable {\n"
        text += "    \(access)static let name = \(SwiftNames.literal(event.name))\n"
        var types = SwiftNames(reserved: SwiftNames.types)
        var properties = properties(event.fields, "    ", &types, &text, at: path)
        if let items = event.items {
            text += "\n    /// One item of the event.\n"
            text += "    \(access)struct Item: Encodable, Sendable {\n"
            var names = SwiftNames(reserved: SwiftNames.types)
            let members = self.properties(items, "        ", &names, &text, at: path + ".items")
            changes += names.changes
            text += body(members, "        ") + "    }\n"
            properties.append(
                Property(
                    name: "items",
                    key: "items",
                    type: "[Item]",
                    isRequired: true,
                    comment: "Items of the event, at most 100.",
                    areItems: true
                )
            )
        }
        changes += types.changes
        return text + body(properties, "    ") + "}\n"
    }

    /// The properties of attributes; writes the types of those with listed values.
    private mutating func properties(
        _ fields: PlannedFields,
        _ indentation: String,
        _ types: inout SwiftNames,
        _ text: inout String,
        at path: String
    ) -> [Property] {
        var names = SwiftNames(reserved: SwiftNames.unusableMembers, used: ["items"])
        var properties: [Property] = []
        for attribute in fields.attributes {
            let path = "\(path).attributes.\(attribute.name)"
            var type = attribute.swiftType
            if let values = attribute.rules[EnumRule.self]?.values, attribute.type != .boolean {
                let name = types.type(attribute.name, suffix: "Value", at: path)
                text += "\n\(indentation)/// Planned values of `\(attribute.name)`.\n"
                text += "\(indentation)\(access)enum \(name): \(type), Encodable, Sendable, CaseIterable {\n"
                var cases = SwiftNames(reserved: SwiftNames.unusableCases)
                for value in values {
                    text += "\(indentation)    case \(Self.enumCase(value, &cases, at: path + ".enum"))\n"
                }
                text += "\(indentation)}\n"
                changes += cases.changes
                type = name
            }
            properties.append(
                Property(
                    name: names.member(attribute.name, prefix: "attribute", at: path),
                    key: attribute.name,
                    type: type,
                    isRequired: attribute.isRequired,
                    comment: [attribute.summary, attribute.sentence].compactMap { $0 }.joined(separator: " ")
                )
            )
        }
        changes += names.changes
        return properties
    }

    private static func enumCase(_ value: JSONValue, _ names: inout SwiftNames, at path: String) -> String {
        if let text = value.string { return "\(names.member(text, at: path)) = \(SwiftNames.literal(text))" }
        let number = value.description
        let words = number.replacing("-", with: "minus_").replacing(".", with: "_point_").replacing("+", with: "")
        return "\(names.member("value_" + words, at: path)) = \(number)"
    }

    /// The properties, the initializer and the coding keys.
    private func body(_ properties: [Property], _ indentation: String) -> String {
        var text = ""
        for property in properties {
            text += "\n" + comment(property.comment, indentation)
            text += "\(indentation)\(access)var \(property.name): \(property.type)\(property.isRequired ? "" : "?")\n"
        }
        // Required ones first, so that a call reads like the plan.
        let attributes = properties.filter { !$0.areItems }
        let ordered = attributes.filter(\.isRequired) + attributes.filter { !$0.isRequired }
        let parameters =
            ordered.map { "\($0.name): \($0.type)\($0.isRequired ? "" : "? = nil")" }
            + properties.filter(\.areItems).map { "\($0.name): \($0.type) = []" }
        text += "\n\(indentation)\(access)init(\(parameters.joined(separator: ", "))) {\n"
        for property in properties { text += "\(indentation)    self.\(property.name) = \(property.name)\n" }
        text += "\(indentation)}\n"
        guard !properties.isEmpty else { return text }
        text += "\n\(indentation)private enum CodingKeys: String, CodingKey {\n"
        for property in properties {
            text += "\(indentation)    case \(property.name) = \(SwiftNames.literal(property.key))\n"
        }
        return text + "\(indentation)}\n"
    }

    private func comment(_ text: String, _ indentation: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.map { "\(indentation)/// \($0)\n" }.joined()
    }
}

extension PlannedAttribute {
    fileprivate var swiftType: String {
        switch type {
        case .string: "String"
        case .integer: "Int"
        case .number: "Double"
        case .boolean: "Bool"
        }
    }

    /// `A number, at least 0.`
    fileprivate var sentence: String {
        let text = rules[EnumRule.self] == nil ? constraints : type.phrase
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
