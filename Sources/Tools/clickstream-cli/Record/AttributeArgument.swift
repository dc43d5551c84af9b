import ArgumentParser
import ClickstreamCore

/// An attribute on the command line: `k=v` with a guessed type, or `k:=json`.
struct AttributeArgument: Sendable, Hashable {
    var name: String
    var value: AttributeValue
    /// The argument itself, if its value is a text that resembles a number and the type is guessed.
    var numberLikeText: NumberLikeText?

    init(name: String, value: AttributeValue, numberLikeText: NumberLikeText? = nil) {
        self.name = name
        self.value = value
        self.numberLikeText = numberLikeText
    }

    /// - Throws: `ValidationError` with the mistake and the correct form.
    init(_ text: String) throws {
        guard let equals = text.firstIndex(of: "=") else {
            throw RefusedValue.error("attribute '\(Console.escaped(text))' has no '='; use name=value or name:=json")
        }
        let rest = text[text.index(after: equals)...]
        let name = text[..<equals]
        guard name.hasSuffix(":") else {
            let value = Self.guess(String(rest))
            self.init(name: String(name), value: value)
            if case .string(let plain) = value, let json = NumberLikeText.json(of: plain) {
                numberLikeText = NumberLikeText(argument: text, number: "\(name):=\(json)")
            }
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

    /// Value of unquoted text: `true` or `false`, a number in the spelling that the SDK writes, otherwise a string.
    ///
    /// `1.10`, `007`, `+1`, `1e5` and numbers out of range remain strings, so that no byte is lost.
    static func guess(_ text: String) -> AttributeValue {
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        // Text that is not JSON is a string.
        guard let number = try? JSONReader.parse(Array(text.utf8)).number, number.shortest.text == text else {
            return .string(text)
        }
        return number.integer.map { .integer($0) } ?? .double(number.double)
    }
}

/// An item on the command line: `id=1,name=shoe,price:=9.9`, or a JSON object.
struct ItemArgument: Sendable, Hashable {
    var attributes: Attributes
    /// The pairs whose values are texts that resemble numbers.
    var numberLikeTexts: [NumberLikeText] = []

    /// - Throws: `ValidationError` with what is wrong and how it is written.
    init(_ text: String) throws {
        guard text.drop(while: { $0 == " " }).hasPrefix("{") else {
            let arguments = try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
                // The server identifies items by strings, so that `id=0815` is not a number.
                guard part.hasPrefix("\(ItemName.id)=") else { return try AttributeArgument(String(part)) }
                return AttributeArgument(name: ItemName.id, value: .string(String(part.dropFirst(3))))
            }
            attributes = Attributes(arguments.map { ($0.name, $0.value) })
            numberLikeTexts = arguments.compactMap(\.numberLikeText)
            return
        }
        let json: JSONValue
        do {
            json = try JSONReader.parse(Array(text.utf8))
        } catch {
            throw RefusedValue.error("item '\(Console.escaped(text))': invalid JSON (\(error))")
        }
        let (draft, diagnostics, _) = EventInput.read(
            JSONValue(.object([.text("name", "item"), JSONMember("items", .array([json]))]))
        )
        if let diagnostic = diagnostics.first {
            throw RefusedValue.error("item '\(Console.escaped(text))': \(diagnostic.message)")
        }
        attributes = draft.items.first ?? [:]
    }
}
