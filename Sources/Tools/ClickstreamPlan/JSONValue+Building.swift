package import ClickstreamCore

extension JSONValue {
    static func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }

    /// The value as JSON text with one member or element per line.
    package var indented: String {
        var text = ""
        write(into: &text, indentation: "")
        return text
    }

    private func write(into text: inout String, indentation: String) {
        let inner = indentation + "  "
        switch kind {
        case .object(let members) where !members.isEmpty:
            text += "{\n"
            for (index, member) in members.enumerated() {
                text += inner + JSONValue.text(member.name).description + ": "
                member.value.write(into: &text, indentation: inner)
                text += index < members.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "}"
        case .array(let elements) where elements.contains(where: \.isNested):
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                element.write(into: &text, indentation: inner)
                text += index < elements.count - 1 ? ",\n" : "\n"
            }
            text += indentation + "]"
        default:
            text += description
        }
    }
}
