import ClickstreamCore

extension JSONValue {
    static func text(_ text: String) -> JSONValue { JSONValue(.string(text)) }
}
