/// Variable that an app assigns to a session: text or a 64-bit integer.
public struct DynamicVariable: Sendable, Hashable {
    /// Value of a variable.
    public enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int64)
    }

    package var key: String
    package var value: Value

    /// Creates a variable.
    public init(key: String, value: Value) {
        self.key = key
        self.value = value
    }
}
