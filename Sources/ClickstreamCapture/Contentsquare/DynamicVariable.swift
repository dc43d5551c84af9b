/// Variable that an app assigns to a session: text or a 64-bit integer.
package struct DynamicVariable: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case integer(Int64)
    }

    package var key: String
    package var value: Value

    package init(key: String, value: Value) {
        self.key = key
        self.value = value
    }
}
