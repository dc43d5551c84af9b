#if Tools
import ArgumentParser
import ClickstreamCore

/// An attribute on the command line: `k=v` with a guessed type, or `k:=json`.
struct AttributeArgument: Sendable, Hashable {
    var name: String
    var value: AttributeValue

    init(name: String, value: AttributeValue) {
        self.name = name
        self.value = value
    }

    /// - Throws: `ValidationError` with the mistake and the correct form.
    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw RefusedValue.error("attribute '\(Console.escaped(text))' has no '='; use name=value or name:=json")
        }
        let rest = text[text.index(after: equals)...]
        let name = text[..<equals]
        guard name.hasSuffix(":") else {
            self.init(name: String(name), value: Self.guess(String(rest)))
            return
        }
        let json: JSONValue
        do {
            json = try JSONReader.parse(Array(rest.utf8))
        } catch {
            throw RefusedValue.error(
                "attribute '\(Console.escaped(text))': invalid JSON after ':=' (\(error)); put strings in quotation marks"
            )
        }
        guard let value = AttributeValue(json: json) else {
            throw RefusedValue.error(
                "attribute '\(Console.escaped(text))': \(json.kindDescription) is not a valid value; use a string, a number, "
                    + "true or false"
            )
        }
        self.init(name: String(name.dropLast()), value: value)
    }

    /// Value of unquoted text: a number in JSON notation, `true` or `false`, otherwise a string.
    ///
    /// `007`, `+1`, `1.` and numbers out of range remain strings, so that no digit is lost.
    static func guess(_ text: String) -> AttributeValue {
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first),
            // Text that is not JSON is a string.
            let json = try? JSONReader.parse(Array(text.utf8)), let number = json.number
        else { return .string(text) }
        let isWhole = number.text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        if number.integer == nil, isWhole || !number.double.isFinite { return .string(text) }
        return AttributeValue(json: json) ?? .string(text)
    }
}

/// An item on the command line: `id=1,name=shoe,price:=9.9`, or a JSON object.
struct ItemArgument: Sendable, Hashable {
    var attributes: Attributes

    /// - Throws: `ValidationError` with what is wrong and how it is written.
    init(_ text: String) throws {
        guard text.drop(while: { $0 == " " }).hasPrefix("{") else {
            let parts = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                var argument = try AttributeArgument(String(part))
                // The server identifies items by strings, so that `id=0815` is not a number.
                if part.hasPrefix("\(ItemName.id)=") { argument.value = .string(String(part.dropFirst(3))) }
                return (argument.name, argument.value)
            }
            attributes = Attributes(parts)
            return
        }
        let json: JSONValue
        do {
            json = try JSONReader.parse(Array(text.utf8))
        } catch {
            throw RefusedValue.error("item '\(Console.escaped(text))': invalid JSON (\(error))")
        }
        let (draft, mistakes) = EventDraft.read(
            JSONValue(.object([.text("name", "item"), JSONMember("items", .array([json]))]))
        )
        if let mistake = mistakes.first {
            throw RefusedValue.error("item '\(Console.escaped(text))': \(mistake.message)")
        }
        attributes = draft.items.first ?? [:]
    }
}
#endif
