package import ClickstreamCore

extension JSONValue {
    /// The value as JSON text with each member and element on a line of its own, with control characters escaped.
    /// - Parameter flatLists: true if a list of scalars is on one line.
    package func indented(flatLists: Bool = false) -> String {
        var text = ""
        write(into: &text, indentation: "", flatLists: flatLists)
        return text
    }

    private func write(into text: inout String, indentation: String, flatLists: Bool) {
        let inner = indentation + "  "
        switch kind {
        case .object(let members) where !members.isEmpty:
            text += "{\n"
            for (index, member) in members.enumerated() {
                text += inner + JSONValue(.string(member.name)).description + ": "
                member.value.write(into: &text, indentation: inner, flatLists: flatLists)
                text += index < members.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "}"
        case .array(let elements) where flatLists ? elements.contains(where: \.isNested) : !elements.isEmpty:
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                element.write(into: &text, indentation: inner, flatLists: flatLists)
                text += index < elements.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "]"
        default:
            text += description
        }
    }
}
