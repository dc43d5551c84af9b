/// JSON text that grows member by member; places the commas.
///
/// A member without a value is omitted, or `null` where the label is `orNull`. A name that is a literal must not contain
/// characters that JSON escapes. The functions with a closure are inlinable: other modules call them for each part of an event.
package struct ObjectWriter: Sendable {
    /// The text so far. After ``begin(_:)`` the caller appends the value. A caller that takes the text away continues with the rest of it.
    package var bytes: [UInt8] = []
    /// True if a comma precedes the next member or element. False after the start of the text or of a container.
    package var needsComma = false

    package init(capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Members

    package mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        begin(name)
        bytes.append(json: text)
    }

    package mutating func member(_ name: StaticString, _ integer: Int64) {
        begin(name)
        bytes.append(json: integer)
    }

    package mutating func member(_ name: StaticString, _ integer: Int) {
        member(name, Int64(integer))
    }

    package mutating func member(_ name: StaticString, _ number: Double) {
        begin(name)
        bytes.append(json: number)
    }

    package mutating func member(_ name: StaticString, _ truth: Bool) {
        begin(name)
        bytes.append(json: truth)
    }

    package mutating func member(_ name: StaticString, _ id: UniqueID) {
        begin(name)
        bytes.append(json: id)
    }

    package mutating func member(_ name: StaticString, orNull text: String?) {
        guard let text else { return null(name) }
        member(name, text)
    }

    package mutating func member(_ name: StaticString, orNull integer: Int64?) {
        guard let integer else { return null(name) }
        member(name, integer)
    }

    package mutating func null(_ name: StaticString) {
        begin(name)
        bytes.append(raw: "null")
    }

    /// - Parameter json: the complete text of the value.
    package mutating func member(_ name: StaticString, json: [UInt8]) {
        begin(name)
        bytes += json
    }

    /// Appends a member with a name of the app.
    package mutating func member(named name: String, _ text: String) {
        begin(named: name)
        bytes.append(json: text)
    }

    /// Appends a member with a name of the app.
    package mutating func member(named name: String, _ id: UniqueID) {
        begin(named: name)
        bytes.append(json: id)
    }

    /// Begins a member, whose value the caller appends.
    package mutating func begin(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(raw: name)
        bytes.append(raw: "\":")
    }

    /// Begins a member with a name of the app, whose value the caller appends.
    package mutating func begin(named name: String) {
        separate()
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Elements

    package mutating func element(_ text: String) {
        separate()
        bytes.append(json: text)
    }

    package mutating func element(_ id: UniqueID) {
        separate()
        bytes.append(json: id)
    }

    // MARK: Containers

    @inlinable
    package mutating func object(_ name: StaticString, _ content: (inout Self) -> Void) {
        beginObject(name)
        content(&self)
        endObject()
    }

    /// Appends an object with a name of the app.
    @inlinable
    package mutating func object(named name: String, _ content: (inout Self) -> Void) {
        beginObject(named: name)
        content(&self)
        endObject()
    }

    /// Appends an object that is an element of an array, or the whole text.
    @inlinable
    package mutating func object(_ content: (inout Self) -> Void) {
        beginObject()
        content(&self)
        endObject()
    }

    @inlinable
    package mutating func array<Element>(
        _ name: StaticString,
        of elements: [Element],
        _ append: (inout Self, Element) -> Void
    ) {
        beginArray(name)
        for element in elements { append(&self, element) }
        endArray()
    }

    package mutating func beginObject(_ name: StaticString) {
        begin(name)
        open("{")
    }

    package mutating func beginObject(named name: String) {
        begin(named: name)
        open("{")
    }

    package mutating func beginObject() {
        separate()
        open("{")
    }

    package mutating func endObject() {
        close("}")
    }

    package mutating func beginArray(_ name: StaticString) {
        begin(name)
        open("[")
    }

    package mutating func endArray() {
        close("]")
    }

    // MARK: Tokens

    private mutating func open(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }
}
