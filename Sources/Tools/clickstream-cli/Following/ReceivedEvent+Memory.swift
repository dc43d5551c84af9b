import ClickstreamCore

extension ReceivedEvent {
    /// Bytes of the event in memory, about.
    var heldBytes: Int { textBytes + element.heldBytes }
}

extension JSONValue {
    /// Bytes of the value in memory, about.
    fileprivate var heldBytes: Int {
        switch kind {
        case .null, .boolean: 64
        case .number(let number): 64 + number.text.utf8.count
        case .string(let text): 64 + text.utf8.count
        case .array(let elements): elements.reduce(64) { $0 + $1.heldBytes }
        case .object(let members): members.reduce(64) { $0 + 32 + $1.name.utf8.count + $1.value.heldBytes }
        }
    }
}
