#if compiler(>=6.3)
package import CClickstream
import ClickstreamCore

@c @implementation
package func clickstream_attributes_create() -> OpaquePointer! {
    guard Handles.areOurs else { return nil }
    return Handles.attributes.insert(Attributes())?.pointer
}

@c @implementation
package func clickstream_attributes_create_json(
    _ json: UnsafePointer<CChar>!,
    _ attributes: UnsafeMutablePointer<OpaquePointer?>!
) -> clickstream_status {
    clickstream_attributes_create_json_n(json, length(json), attributes)
}

@c @implementation
package func clickstream_attributes_create_json_n(
    _ json: UnsafePointer<CChar>!,
    _ json_length: Int,
    _ attributes: UnsafeMutablePointer<OpaquePointer?>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(attributes)
        try Handles.attributes.insert(Text(json, json_length).attributes, into: target)
    }
}

@c @implementation
package func clickstream_attributes_release(_ attributes: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in _ = try Handles.attributes.release(attributes) }
}

/// Sets an attribute of a list.
@inline(__always)
private func set(
    _ attributes: OpaquePointer?,
    _ name: UnsafePointer<CChar>?,
    _ length: Int,
    _ value: () throws(Refusal) -> AttributeValue
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, length).string
        let value = try value()
        try Handles.attributes.change(attributes) { $0.set(name, to: value) }
    }
}

@c @implementation
package func clickstream_attributes_set_string(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ value: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_attributes_set_string_n(attributes, name, length(name), value, length(value))
}

@c @implementation
package func clickstream_attributes_set_string_n(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ value: UnsafePointer<CChar>!,
    _ value_length: Int
) -> clickstream_status {
    set(attributes, name, name_length) { () throws(Refusal) in .string(try Text(value, value_length).string) }
}

@c @implementation
package func clickstream_attributes_set_int(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ value: Int64
) -> clickstream_status {
    clickstream_attributes_set_int_n(attributes, name, length(name), value)
}

@c @implementation
package func clickstream_attributes_set_int_n(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ value: Int64
) -> clickstream_status {
    set(attributes, name, name_length) { .integer(value) }
}

@c @implementation
package func clickstream_attributes_set_double(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ value: Double
) -> clickstream_status {
    clickstream_attributes_set_double_n(attributes, name, length(name), value)
}

@c @implementation
package func clickstream_attributes_set_double_n(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ value: Double
) -> clickstream_status {
    set(attributes, name, name_length) { () throws(Refusal) in
        guard value.isFinite else { throw Refusal(CLICKSTREAM_NOT_FINITE) }
        return .double(value)
    }
}

@c @implementation
package func clickstream_attributes_set_bool(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ value: Bool
) -> clickstream_status {
    clickstream_attributes_set_bool_n(attributes, name, length(name), value)
}

@c @implementation
package func clickstream_attributes_set_bool_n(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ value: Bool
) -> clickstream_status {
    set(attributes, name, name_length) { .boolean(value) }
}

@c @implementation
package func clickstream_attributes_remove(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_attributes_remove_n(attributes, name, length(name))
}

@c @implementation
package func clickstream_attributes_remove_n(
    _ attributes: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        let isRemoved = try Handles.attributes.change(attributes) { attributes in
            defer { attributes.remove(name) }
            return attributes[name] != nil
        }
        guard isRemoved else { throw Refusal(CLICKSTREAM_UNKNOWN_KEY) }
    }
}

@c @implementation
package func clickstream_attributes_clear(_ attributes: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in try Handles.attributes.change(attributes) { $0 = Attributes() } }
}

@c @implementation
package func clickstream_attributes_count(
    _ attributes: OpaquePointer!,
    _ count: UnsafeMutablePointer<Int>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(count)
        target.pointee = try Handles.attributes.value(attributes).count
    }
}

extension Attributes {
    /// Creates the attributes of a JSON object of strings, finite numbers and booleans.
    init(json: JSONValue) throws(Refusal) {
        guard let members = json.members else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
        var pairs: [(String, AttributeValue)] = []
        pairs.reserveCapacity(members.count)
        for member in members {
            guard let value = AttributeValue(json: member.value) else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
            guard value.isFinite else { throw Refusal(CLICKSTREAM_NOT_FINITE) }
            pairs.append((member.name, value))
        }
        self.init(pairs)
    }
}
#endif
