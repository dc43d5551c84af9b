import ClickstreamCore

/// JSON text that grows member by member; places the commas. Members without a value are omitted.
struct ObjectWriter {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(1_024)
    }

    // MARK: Members

    mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        append(name: name)
        bytes.append(json: text)
    }

    mutating func member(_ name: StaticString, _ integer: Int64) {
        append(name: name)
        bytes.append(json: integer)
    }

    mutating func member(_ name: StaticString, _ integer: Int) {
        member(name, Int64(integer))
    }

    mutating func member(_ name: StaticString, _ number: Double) {
        append(name: name)
        bytes.append(json: number)
    }

    mutating func member(_ name: StaticString, _ truth: Bool) {
        append(name: name)
        bytes.append(json: truth)
    }

    mutating func member(_ name: StaticString, _ id: UniqueID) {
        append(name: name)
        append(id)
    }

    /// - Parameter json: the complete text of the value.
    mutating func member(_ name: StaticString, json: [UInt8]) {
        append(name: name)
        bytes += json
    }

    /// Appends a member with a name of the app.
    mutating func member(named name: String, _ text: String) {
        append(named: name)
        bytes.append(json: text)
    }

    /// Appends a member with a name of the app.
    mutating func member(named name: String, _ id: UniqueID) {
        append(named: name)
        append(id)
    }

    /// Appends attributes, except those with names of the format.
    mutating func members(_ attributes: Attributes, except reserved: Set<String> = []) {
        for element in attributes.elements where !reserved.contains(element.name) {
            append(named: element.name)
            bytes.append(json: element.value)
        }
    }

    // MARK: Containers

    mutating func object(_ name: StaticString, _ content: (inout Self) -> Void) {
        append(name: name)
        enclose("{", "}", content)
    }

    /// Appends an object with a name of the app.
    mutating func object(named name: String, _ content: (inout Self) -> Void) {
        append(named: name)
        enclose("{", "}", content)
    }

    mutating func array<Element>(
        _ name: StaticString,
        of elements: [Element],
        _ append: (inout Self, Element) -> Void
    ) {
        self.append(name: name)
        enclose("[", "]") { writer in
            for element in elements { append(&writer, element) }
        }
    }

    /// Appends an object that is an element of an array, or the whole text.
    mutating func object(_ content: (inout Self) -> Void) {
        separate()
        enclose("{", "}", content)
    }

    /// Appends an identifier that is an element of an array.
    mutating func element(_ id: UniqueID) {
        separate()
        append(id)
    }

    // MARK: Tokens

    private mutating func enclose(_ start: Unicode.Scalar, _ end: Unicode.Scalar, _ content: (inout Self) -> Void) {
        bytes.append(UInt8(ascii: start))
        content(&self)
        bytes.append(UInt8(ascii: end))
    }

    /// Appends a comma, except at the start of the text or of a container: no value ends with an opening bracket.
    private mutating func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    private mutating func append(name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(raw: name)
        bytes.append(raw: "\":")
    }

    private mutating func append(named name: String) {
        separate()
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ id: UniqueID) {
        bytes.append(json: id)
    }
}
