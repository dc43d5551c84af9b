extension AttributeValue {
    /// The attribute value that a JSON value is; `nil` for null, arrays and objects.
    ///
    /// A number is an integer when it is written as one and fits 64 bits, otherwise a double.
    package init?(json: JSONValue) {
        switch json.kind {
        case .boolean(let truth): self = .boolean(truth)
        case .string(let text): self = .string(text)
        case .number(let number): self = number.integer.map { .integer($0) } ?? .double(number.double)
        case .null, .array, .object: return nil
        }
    }
}
