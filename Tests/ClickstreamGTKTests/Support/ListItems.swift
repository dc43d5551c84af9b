#if GTK
import CGtk4

/// Factory of labels with the text of a string object.
@MainActor
func labelFactory() -> OpaquePointer {
    let factory = gtk_signal_list_item_factory_new()
    let setup: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
        gtk_list_item_set_child(item, gtk_label_new(""))
    }
    let bind: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
        let text = gtk_string_object_get_string(OpaquePointer(gtk_list_item_get_item(item)))
        gtk_label_set_text(gtk_list_item_get_child(item).map { OpaquePointer($0) }, text)
    }
    connect(factory.map { UnsafeMutableRawPointer($0) }, "setup", unsafeBitCast(setup, to: GCallback.self))
    connect(factory.map { UnsafeMutableRawPointer($0) }, "bind", unsafeBitCast(bind, to: GCallback.self))
    guard let factory else { preconditionFailure("Invalid state: no factory") }
    return factory
}

/// Selection among strings: `item 0`, `item 1`, and so on.
@MainActor
func stringSelection(_ count: Int) -> OpaquePointer? {
    let strings = gtk_string_list_new(nil)
    for index in 0..<count { gtk_string_list_append(strings, "item \(index)") }
    return gtk_single_selection_new(strings)
}

/// Connects a handler to a signal.
@MainActor
func connect(_ object: UnsafeMutableRawPointer?, _ signal: String, _ handler: GCallback) {
    g_signal_connect_data(object, signal, handler, nil, nil, GConnectFlags(rawValue: 0))
}
#endif
