#if GTK
import CGtk4
import ClickstreamCapture

extension GTKAdapter {
    func hookPages() {
        hook(gtk_widget_get_type(), "map") { adapter, values in
            guard let widget = Widget(values.object()) else { return }
            adapter.mapped(widget)
        }
        hook(gtk_widget_get_type(), "unmap") { adapter, values in
            guard let widget = Widget(values.object()) else { return }
            adapter.unmapped(widget)
        }
    }

    /// Reports the windows that are on the screen when the adapter starts.
    func reportExistingWindows() {
        let windows = gtk_window_list_toplevels()
        defer { g_list_free(windows) }
        var next = windows
        while let entry = next {
            if let object = entry.pointee.data, Widget(object).isMapped { reportMapped(Widget(object)) }
            next = entry.pointee.next
        }
        if tracksVisibility { activityChanged() }
    }

    /// Reports a widget and those inside of it.
    private func reportMapped(_ widget: Widget) {
        mapped(widget)
        for child in widget.children where child.isMapped { reportMapped(child) }
    }

    /// A widget is on the screen.
    private func mapped(_ widget: Widget) {
        let kind = widget.kind
        if unhookedKinds.contains(kind) { hook(kind: kind, of: widget) }
        switch kind {
        case .window:
            mappedPage(widget)
            return
        case .scrolledWindow: mapped(scrollView: widget)
        default: if kind.isList { mapped(list: widget) }
        }
        if let parent = widget.parent, parent.kind == .stack { mappedPage(widget) }
    }

    private func mappedPage(_ widget: Widget) {
        guard widget.isPage else { return }
        let isWindow = widget.kind == .window
        observe(widget.object, notifications: isWindow && tracksVisibility ? ["notify::is-active"] : [])
        perform(
            pages.map(
                widget.id,
                VisiblePages.Location(
                    outer: isWindow ? nil : widget.parent?.page?.id,
                    stack: isWindow ? nil : widget.parent?.id
                )
            )
        )
    }

    /// A widget is not on the screen any more.
    private func unmapped(_ widget: Widget) {
        if pages.isVisible(widget.id) {
            flushValue()
            perform(pages.unmap(widget.id))
        }
        if lists[widget.object] != nil { unmapped(list: widget) }
    }

    func perform(_ actions: [VisiblePages.Action]) {
        for action in actions {
            switch action {
            case .appear(let id):
                guard let object = UnsafeMutableRawPointer(bitPattern: UInt(id.value)) else { continue }
                capture.appear(Capture.Page(Widget(object)))
            case .disappear(let id):
                capture.disappear(id)
            }
        }
    }
}
#endif
