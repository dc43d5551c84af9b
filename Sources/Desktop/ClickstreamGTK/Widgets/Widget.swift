#if GTK
import CGtk4
import ClickstreamCapture

/// Widget of GTK, without ownership: valid during the signal that reports it.
struct Widget: Equatable {
    let object: UnsafeMutableRawPointer

    init(_ object: UnsafeMutableRawPointer) {
        self.object = object
    }

    init?(_ object: UnsafeMutableRawPointer?) {
        guard let object else { return nil }
        self.object = object
    }

    init?(_ pointer: UnsafeMutablePointer<GtkWidget>?) {
        guard let pointer else { return nil }
        object = UnsafeMutableRawPointer(pointer)
    }

    var id: InstanceID { InstanceID(object) }
    var pointer: UnsafeMutablePointer<GtkWidget> { object.assumingMemoryBound(to: GtkWidget.self) }
    /// The pointer to the instance as a type that Swift imports as opaque.
    var opaque: OpaquePointer { OpaquePointer(object) }
}

@MainActor
extension Widget {
    var widgetClass: WidgetClass { WidgetClasses[clickstream_type(object)] }
    var kind: WidgetClass.Kind { widgetClass.kind }

    var parent: Widget? { Widget(clickstream_parent(object)) }
    var firstChild: Widget? { Widget(gtk_widget_get_first_child(pointer)) }
    var nextSibling: Widget? { Widget(gtk_widget_get_next_sibling(pointer)) }
    var isMapped: Bool { clickstream_is_mapped(object) != 0 }
    /// True unless the widget or its container hides it, such as a stack its other pages.
    var isDisplayed: Bool { gtk_widget_get_visible(pointer) != 0 && gtk_widget_get_child_visible(pointer) != 0 }
    var isSensitive: Bool { clickstream_is_sensitive(object) != 0 }
    /// The window or popover that contains the widget.
    var native: Widget? { gtk_widget_get_native(pointer).map { Widget(UnsafeMutableRawPointer($0)) } }
    /// The window.
    var root: Widget? { gtk_widget_get_root(pointer).map { Widget(UnsafeMutableRawPointer($0)) } }

    /// The widget and its ancestors, beginning with itself. The parent of a popover is the widget that it belongs to.
    var lineage: some Sequence<Widget> { sequence(first: self) { $0.parent } }

    /// The children, in drawing order.
    var children: some Sequence<Widget> {
        sequence(state: firstChild) { next in
            defer { next = next?.nextSibling }
            return next
        }
    }

    // MARK: Names

    /// The widget's name, if the application set one; the toolkit's own default is the name of the type.
    var name: String? {
        guard let name = gtk_widget_get_name(pointer) else { return nil }
        let text = String(cString: name)
        return text.isEmpty || text == widgetClass.name ? nil : text
    }

    /// The identifier in the builder file of the application. Roots and parts of templates of composite widgets have
    /// none, as they repeat in every instance.
    var builderID: String? {
        guard let id = gtk_buildable_get_buildable_id(opaque) else { return nil }
        let text = String(cString: id)
        guard !text.isEmpty, text != widgetClass.name, !text.hasPrefix("___") else { return nil }
        for ancestor in lineage {
            let type = clickstream_type(ancestor.object)
            guard ancestor == self || gtk_widget_get_template_child(ancestor.pointer, type, id) == nil else {
                return nil
            }
        }
        return text
    }
}

extension InstanceID {
    init(_ object: UnsafeMutableRawPointer) {
        self.init(UInt64(UInt(bitPattern: object)))
    }
}

/// Classes by type: names are read once for each type.
@MainActor
enum WidgetClasses {
    private static var known: [GType: WidgetClass] = [:]

    static subscript(type: GType) -> WidgetClass {
        if let known = known[type] { return known }
        var names: [String] = []
        var next = type
        while next != 0, let name = g_type_name(next) {
            names.append(String(cString: name))
            next = g_type_parent(next)
        }
        let description = WidgetClass(names)
        known[type] = description
        return description
    }
}
#endif
