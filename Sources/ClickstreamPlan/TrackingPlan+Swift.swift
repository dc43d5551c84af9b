import ClickstreamCore

extension TrackingPlan {
    /// Swift source with one struct per planned event, in the form that `ClickstreamAnalytics.record` accepts.
    ///
    /// Types, required attributes and listed values are checked by the compiler. Ranges, patterns and lengths are in
    /// the documentation comments. Events of the SDK are omitted.
    /// - Parameter isPublic: true if the generated types are public.
    package func swift(isPublic: Bool = false) -> String {
        var names = SwiftNames(excluding: SwiftNames.types)
        var text = "// Generated from a tracking plan by 'clickstream-cli plan swift'. Do not edit.\n\n"
        text += "\(isPublic ? "public " : "")import ClickstreamAnalytics\n"
        for event in events where !Characters.areReserved(event.name) {
            let writer = SwiftEventWriter(access: isPublic ? "public " : "")
            text += "\n" + writer.source(of: event, named: names.type(event.name, suffix: "Event"))
        }
        return text
    }
}

/// Writer of the struct of one event.
private struct SwiftEventWriter {
    /// Access modifier with a space, or empty.
    let access: String

    /// A stored property with its attribute.
    private struct Property {
        var name: String
        var key: String
        var type: String
        var isRequired: Bool
        var comment: String
    }

    func source(of event: PlannedEvent, named type: String) -> String {
        var text = comment(event.summary ?? "The event `\(event.name)`.", "")
        text += "\(access)struct \(type): ClickstreamEvent, Sendable {\n"
        text += "    \(access)static let name = \(SwiftNames.literal(event.name))\n"
        var types = SwiftNames(excluding: SwiftNames.types)
        var properties = properties(event.fields, "    ", &types, &text)
        if let items = event.items {
            text += "\n    /// One item of the event.\n"
            text += "    \(access)struct Item: Encodable, Sendable {\n"
            var names = SwiftNames(excluding: SwiftNames.types)
            let members = self.properties(items, "        ", &names, &text)
            text += body(members, "        ") + "    }\n"
            let comment = "Items of the event, at most 100."
            properties.append(Property(name: "items", key: "items", type: "[Item]", isRequired: true, comment: comment))
        }
        return text + body(properties, "    ") + "}\n"
    }

    /// The properties of attributes; writes the types of those with listed values.
    private func properties(
        _ fields: PlannedFields,
        _ indentation: String,
        _ types: inout SwiftNames,
        _ text: inout String
    ) -> [Property] {
        var names = SwiftNames(excluding: ["items"], unusable: SwiftNames.unusableMembers)
        return fields.attributes.map { attribute in
            var type = attribute.swiftType
            if let values = attribute.values, attribute.type != .boolean {
                let name = types.type(attribute.name, suffix: "Value")
                text += "\n\(indentation)/// Planned values of `\(attribute.name)`.\n"
                text += "\(indentation)\(access)enum \(name): \(type), Encodable, Sendable, CaseIterable {\n"
                var cases = SwiftNames(unusable: SwiftNames.unusableCases)
                for value in values { text += "\(indentation)    case \(Self.enumCase(value, &cases))\n" }
                text += "\(indentation)}\n"
                type = name
            }
            return Property(
                name: names.member(attribute.name, prefix: "attribute"),
                key: attribute.name,
                type: type,
                isRequired: attribute.isRequired,
                comment: [attribute.summary, attribute.sentence].compactMap { $0 }.joined(separator: " ")
            )
        }
    }

    private static func enumCase(_ value: JSONValue, _ names: inout SwiftNames) -> String {
        if let text = value.string { return "\(names.member(text)) = \(SwiftNames.literal(text))" }
        let number = value.description
        let words = number.replacing("-", with: "minus_").replacing(".", with: "_point_").replacing("+", with: "")
        return "\(names.member("value_" + words)) = \(number)"
    }

    /// The properties, the initializer and the coding keys.
    private func body(_ properties: [Property], _ indentation: String) -> String {
        var text = ""
        for property in properties {
            text += "\n" + comment(property.comment, indentation)
            text += "\(indentation)\(access)var \(property.name): \(property.type)\(property.isRequired ? "" : "?")\n"
        }
        // Required ones first, so that a call reads like the plan.
        let ordered = properties.filter { $0.isRequired && $0.key != "items" } + properties.filter { !$0.isRequired }
        let parameters =
            ordered.map { "\($0.name): \($0.type)\($0.isRequired ? "" : "? = nil")" }
            + properties.filter { $0.isRequired && $0.key == "items" }.map { "\($0.name): \($0.type) = []" }
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
        let text = values == nil ? constraints : type.phrase
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }
}
