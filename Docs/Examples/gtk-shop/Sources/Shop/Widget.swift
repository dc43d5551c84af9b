import CGtk

/// A widget of GTK, owned by its parent.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
    /// The pointer, as the type of an instance of the same object.
    func pointer<Instance>(to type: Instance.Type = Instance.self) -> UnsafeMutablePointer<Instance> {
        UnsafeMutablePointer<Instance>(OpaquePointer(self))
    }

    /// The pointer, for functions of a type that the headers do not define.
    var opaque: OpaquePointer { OpaquePointer(self) }
}

extension OpaquePointer {
    /// The pointer itself, as `opaque` of other pointers.
    var opaque: OpaquePointer { self }
}

extension Widget {
    /// The name, which identifies the widget in style sheets and in captured events.
    var name: String {
        get { String(cString: gtk_widget_get_name(self)) }
        nonmutating set { gtk_widget_set_name(self, newValue) }
    }
}

/// Returns the translation of a text.
func localized(_ text: String) -> String {
    guard let translation = g_dgettext("gtk-shop", text) else { return text }
    return String(cString: translation)
}

// MARK: - Layout

@MainActor
private func box(_ orientation: GtkOrientation, _ children: [Widget?]) -> Widget {
    let box = gtk_box_new(orientation, 12)!
    for child in children { gtk_box_append(box.pointer(), child) }
    return box
}

/// A row of widgets.
@MainActor
func row(_ children: [Widget?]) -> Widget { box(GTK_ORIENTATION_HORIZONTAL, children) }

/// A column of widgets, with a margin.
@MainActor
func column(_ children: [Widget?]) -> Widget {
    let column = box(GTK_ORIENTATION_VERTICAL, children)
    gtk_widget_set_margin_top(column, 16)
    gtk_widget_set_margin_bottom(column, 16)
    gtk_widget_set_margin_start(column, 16)
    gtk_widget_set_margin_end(column, 16)
    return column
}

/// A label beside a widget.
@MainActor
func labeled(_ text: String, _ widget: Widget) -> Widget {
    let label = gtk_label_new(localized(text))!
    gtk_widget_set_size_request(label, 140, -1)
    gtk_label_set_xalign(label.opaque, 0)
    return row([label, widget])
}

// MARK: - Signals

/// Closure connected to a signal; the connection owns it.
private final class Handler {
    let body: @MainActor () -> Void

    init(_ body: @escaping @MainActor () -> Void) {
        self.body = body
    }
}

/// Calls a closure at each emission of a signal whose handlers have no parameters and no result.
@MainActor
func on<Instance>(_ object: UnsafeMutablePointer<Instance>, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    on(OpaquePointer(object), signal, body)
}

@MainActor
func on(_ object: OpaquePointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    let callback: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
        guard let data else { return }
        let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { handler.body() }
    }
    connect(object, signal, unsafeBitCast(callback, to: GCallback.self), body)
}

/// Calls a closure when an action is activated, or a position of a list view: signals with one parameter.
@MainActor
func onActivate(of object: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
    let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
        guard let data else { return }
        let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { handler.body() }
    }
    connect(object, "activate", unsafeBitCast(callback, to: GCallback.self), body)
}

/// Calls a closure at each change of a property.
@MainActor
func onChange(of property: String, _ object: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
    let callback: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in
        guard let data else { return }
        let handler = Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue()
        MainActor.assumeIsolated { handler.body() }
    }
    connect(object, "notify::" + property, unsafeBitCast(callback, to: GCallback.self), body)
}

private func connect(
    _ object: OpaquePointer,
    _ signal: String,
    _ callback: GCallback,
    _ body: @escaping @MainActor () -> Void
) {
    let handler = Unmanaged.passRetained(Handler(body)).toOpaque()
    g_signal_connect_data(
        UnsafeMutableRawPointer(object),
        signal,
        callback,
        handler,
        { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } },
        GConnectFlags(rawValue: 0)
    )
}
