#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

@c @implementation
package func clickstream_record(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ attributes: OpaquePointer!,
    _ items: UnsafePointer<OpaquePointer?>!,
    _ item_count: Int
) -> clickstream_status {
    clickstream_record_n(client, name, length(name), attributes, items, item_count)
}

@c @implementation
package func clickstream_record_n(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ attributes: OpaquePointer!,
    _ items: UnsafePointer<OpaquePointer?>!,
    _ item_count: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        let own = attributes == nil ? Attributes() : try Handles.attributes.value(attributes)
        try record(client, name, own, item_count == 0 ? [] : lists(items, item_count))
    }
}

/// Limit on the number of items of a call; an event has at most 100.
private let maxItems = 100_000

/// Returns the attributes of each item.
private func lists(_ items: UnsafePointer<OpaquePointer?>?, _ count: Int) throws(Refusal) -> [Attributes] {
    guard let items, (0...maxItems).contains(count) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
    var lists: [Attributes] = []
    lists.reserveCapacity(count)
    for index in 0..<count { lists.append(try Handles.attributes.value(items[index])) }
    return lists
}

@inline(__always)
private func record(
    _ client: OpaquePointer?,
    _ name: String,
    _ attributes: Attributes,
    _ items: [Attributes]
) throws(Refusal) {
    guard let handle = Handle(client) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
    if handle == .defaultClient {
        guard ClickstreamAnalytics.recordUnlessEnded(name, attributes, items) else {
            throw Refusal(CLICKSTREAM_NOT_RUNNING)
        }
    } else if let further = Handles.clients.value(handle) {
        further.record(name, attributes: attributes, items: items)
    } else {
        ClosedClients.countEvent(handle)
        throw Handles.refusal(of: handle)
    }
}

@c @implementation
package func clickstream_record_json(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ attributes: UnsafePointer<CChar>!,
    _ items: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_record_json_n(client, name, length(name), attributes, length(attributes), items, length(items))
}

@c @implementation
package func clickstream_record_json_n(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ attributes: UnsafePointer<CChar>!,
    _ attributes_length: Int,
    _ items: UnsafePointer<CChar>!,
    _ items_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        var own = Attributes()
        if attributes != nil {
            own = try Text(attributes, attributes_length).attributes
        } else if attributes_length != 0 {
            throw Refusal(CLICKSTREAM_INVALID_ARGUMENT)
        }
        var lists: [Attributes] = []
        if items != nil {
            let json = try Text(items, items_length).json
            guard let elements = json.array else { throw Refusal(CLICKSTREAM_INVALID_JSON) }
            for element in elements { lists.append(try Attributes(json: element)) }
        } else if items_length != 0 {
            throw Refusal(CLICKSTREAM_INVALID_ARGUMENT)
        }
        try record(client, name, own, lists)
    }
}

@c @implementation
package func clickstream_record_values(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ values: UnsafePointer<clickstream_value>!,
    _ value_count: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        try record(client, name, value_count == 0 ? Attributes() : attributes(values, value_count), [])
    }
}

/// Limit on the number of values of a call; an event has at most 500.
private let maxValues = 100_000

/// Returns the attributes of an array from C.
private func attributes(_ values: UnsafePointer<clickstream_value>?, _ count: Int) throws(Refusal) -> Attributes {
    guard let values, (0...maxValues).contains(count) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
    var elements: [Attributes.Element] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
        let name = try Text(values[index].name, values[index].name_length).string
        elements.append(Attributes.Element(name: name, value: try attribute(values[index])))
    }
    return Attributes(elements)
}

/// Returns the value of an attribute from C.
@inline(__always)
private func attribute(_ value: clickstream_value) throws(Refusal) -> AttributeValue {
    switch value.kind {
    case CLICKSTREAM_VALUE_STRING: return .string(try Text(value.value.string.start, value.value.string.length).string)
    case CLICKSTREAM_VALUE_INT: return .integer(value.value.integer)
    case CLICKSTREAM_VALUE_BOOL: return .boolean(value.value.integer != 0)
    case CLICKSTREAM_VALUE_DOUBLE:
        guard value.value.number.isFinite else { throw Refusal(CLICKSTREAM_NOT_FINITE) }
        return .double(value.value.number)
    default: throw Refusal(CLICKSTREAM_INVALID_ARGUMENT)
    }
}

@c @implementation
package func clickstream_add_global_attributes(
    _ client: OpaquePointer!,
    _ attributes: OpaquePointer!
) -> clickstream_status {
    status { () throws(Refusal) in
        let attributes = try Handles.attributes.value(attributes)
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.addGlobalAttributes(attributes)
        case .further(let client): client.addGlobalAttributes(attributes)
        }
    }
}

@c @implementation
package func clickstream_delete_global_attribute(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_delete_global_attribute_n(client, name, length(name))
}

@c @implementation
package func clickstream_delete_global_attribute_n(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.deleteGlobalAttributes(name)
        case .further(let client): client.deleteGlobalAttributes([name])
        }
    }
}

@c @implementation
package func clickstream_set_user_id(_ client: OpaquePointer!, _ id: UnsafePointer<CChar>!) -> clickstream_status {
    clickstream_set_user_id_n(client, id, length(id))
}

@c @implementation
package func clickstream_set_user_id_n(
    _ client: OpaquePointer!,
    _ id: UnsafePointer<CChar>!,
    _ id_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let id = try optionalText(id, id_length)
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.setUserId(id)
        case .further(let client): client.setUserID(id)
        }
    }
}

/// Returns an optional text argument.
private func optionalText(_ text: UnsafePointer<CChar>?, _ length: Int) throws(Refusal) -> String? {
    if text == nil, length == 0 { return nil }
    return try Text(text, length).string
}

@c @implementation
package func clickstream_add_user_attributes(
    _ client: OpaquePointer!,
    _ attributes: OpaquePointer!
) -> clickstream_status {
    status { () throws(Refusal) in
        let attributes = try Handles.attributes.value(attributes)
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.addUserAttributes(attributes)
        case .further(let client): client.addUserAttributes(attributes)
        }
    }
}

@c @implementation
package func clickstream_screen(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ id: UnsafePointer<CChar>!,
    _ unique_id: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_screen_n(client, name, length(name), id, length(id), unique_id, length(unique_id))
}

@c @implementation
package func clickstream_screen_n(
    _ client: OpaquePointer!,
    _ name: UnsafePointer<CChar>!,
    _ name_length: Int,
    _ id: UnsafePointer<CChar>!,
    _ id_length: Int,
    _ unique_id: UnsafePointer<CChar>!,
    _ unique_id_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let name = try Text(name, name_length).string
        let id = try optionalText(id, id_length)
        let uniqueID = try optionalText(unique_id, unique_id_length)
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.screen(name: name, id: id, uniqueID: uniqueID)
        case .further(let client): client.screen(name: name, id: id, uniqueID: uniqueID)
        }
    }
}
#endif
