#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

@c @implementation
package func clickstream_configuration_create() -> OpaquePointer! {
    guard Handles.areOurs else { return nil }
    return Handles.configurations.insert(Settings())?.pointer
}

@c @implementation
package func clickstream_configuration_release(_ configuration: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in _ = try Handles.configurations.release(configuration) }
}

@c @implementation
package func clickstream_configuration_set_file(
    _ configuration: OpaquePointer!,
    _ path: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_configuration_set_file_n(configuration, path, length(path))
}

@c @implementation
package func clickstream_configuration_set_file_n(
    _ configuration: OpaquePointer!,
    _ path: UnsafePointer<CChar>!,
    _ path_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let path = try Text(path, path_length).string
        // A path with a NUL would name another file.
        guard !path.utf8.contains(0) else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        try Handles.configurations.change(configuration) { $0.path = path }
    }
}

@c @implementation
package func clickstream_configuration_set_json(
    _ configuration: OpaquePointer!,
    _ json: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_configuration_set_json_n(configuration, json, length(json))
}

@c @implementation
package func clickstream_configuration_set_json_n(
    _ configuration: OpaquePointer!,
    _ json: UnsafePointer<CChar>!,
    _ json_length: Int
) -> clickstream_status {
    status { () throws(Refusal) in
        let json = try Text(json, json_length).json
        let status = try Handles.configurations.change(configuration) { $0.set(json) }
        guard status == CLICKSTREAM_OK else { throw Refusal(status) }
    }
}

/// Sets a key of a configuration.
private func set(
    _ configuration: OpaquePointer?,
    _ key: UnsafePointer<CChar>?,
    _ keyLength: Int,
    _ value: () throws(Refusal) -> ConfigurationKey.Value
) -> clickstream_status {
    status { () throws(Refusal) in
        let key = try Text(key, keyLength).string
        let value = try value()
        let status = try Handles.configurations.change(configuration) { $0.set(key, to: value) }
        guard status == CLICKSTREAM_OK else { throw Refusal(status) }
    }
}

@c @implementation
package func clickstream_configuration_set_string(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ value: UnsafePointer<CChar>!
) -> clickstream_status {
    clickstream_configuration_set_string_n(configuration, key, length(key), value, length(value))
}

@c @implementation
package func clickstream_configuration_set_string_n(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ key_length: Int,
    _ value: UnsafePointer<CChar>!,
    _ value_length: Int
) -> clickstream_status {
    set(configuration, key, key_length) { () throws(Refusal) in .text(try Text(value, value_length).string) }
}

@c @implementation
package func clickstream_configuration_set_int(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ value: Int64
) -> clickstream_status {
    set(configuration, key, length(key)) { .integer(value) }
}

@c @implementation
package func clickstream_configuration_set_bool(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ value: Bool
) -> clickstream_status {
    set(configuration, key, length(key)) { .boolean(value) }
}

@c @implementation
package func clickstream_configuration_set_attributes(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ attributes: OpaquePointer!
) -> clickstream_status {
    set(configuration, key, length(key)) { () throws(Refusal) in
        .attributes(try Handles.attributes.value(attributes))
    }
}

/// Reads a key of a configuration.
private func value(
    _ configuration: OpaquePointer?,
    _ key: UnsafePointer<CChar>?
) throws(Refusal) -> ConfigurationKey.Value {
    let key = try Text(key, length(key)).string
    let value = try Handles.configurations.value(configuration).value(key)
    guard value != .null else { throw Refusal(CLICKSTREAM_NO_VALUE) }
    return value
}

@c @implementation
package func clickstream_configuration_get_int(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ value: UnsafeMutablePointer<Int64>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(value)
        guard case .integer(let integer) = try ClickstreamC.value(configuration, key) else {
            throw Refusal(CLICKSTREAM_INVALID_VALUE)
        }
        target.pointee = integer
    }
}

@c @implementation
package func clickstream_configuration_get_bool(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ value: UnsafeMutablePointer<Bool>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(value)
        guard case .boolean(let truth) = try ClickstreamC.value(configuration, key) else {
            throw Refusal(CLICKSTREAM_INVALID_VALUE)
        }
        target.pointee = truth
    }
}

@c @implementation
package func clickstream_configuration_get_string(
    _ configuration: OpaquePointer!,
    _ key: UnsafePointer<CChar>!,
    _ buffer: UnsafeMutablePointer<CChar>!,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> clickstream_status {
    status { () throws(Refusal) in
        guard case .text(let text) = try value(configuration, key) else { throw Refusal(CLICKSTREAM_INVALID_VALUE) }
        try copy(text, to: buffer, capacity, length)
    }
}

@c @implementation
package func clickstream_configuration_get_json(
    _ configuration: OpaquePointer!,
    _ buffer: UnsafeMutablePointer<CChar>!,
    _ capacity: Int,
    _ length: UnsafeMutablePointer<Int>!
) -> clickstream_status {
    status { () throws(Refusal) in
        try copy(Handles.configurations.value(configuration).json, to: buffer, capacity, length)
    }
}

@c @implementation
package func clickstream_client_configuration(
    _ client: OpaquePointer!,
    _ configuration: UnsafeMutablePointer<OpaquePointer?>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(configuration)
        let current = try ClientReference(client).running.configuration
        try Handles.configurations.insert(Settings(snapshot: current), into: target)
    }
}

@c @implementation
package func clickstream_client_configure(
    _ client: OpaquePointer!,
    _ configuration: OpaquePointer!
) -> clickstream_status {
    status { () throws(Refusal) in
        let client = try ClientReference(client).running
        let settings = try Handles.configurations.value(configuration)
        client.configure { settings.apply(to: &$0) }
    }
}
#endif
