/// Variable that an app assigns to a session: text or a 64-bit integer.
public struct DynamicVariable: Sendable, Hashable {
    public enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int64)
    }

    public var key: String
    public var value: Value

    public init(key: String, value: Value) {
        self.key = key
        self.value = value
    }
}
