#if GTK
import CGtk4
import ClickstreamCapture

@MainActor
extension Widget {
    /// True for a window, and for a child of its outermost stack or notebook. A stack that is part of another widget has no
    /// pages.
    var isPage: Bool {
        let kind = kind
        guard kind == .window || parent?.kind == .stack else { return false }
        return kind.isPage(inside: lineage.dropFirst().map { $0.kind })
    }

    /// The page that contains the widget, or is the widget.
    var page: Widget? { lineage.first { $0.isPage } }
}

extension Capture.Page {
    /// Describes a page.
    @MainActor
    init(_ widget: Widget) {
        let settings = widget.settings
        self.init(
            id: widget.id,
            className: widget.pageClass,
            title: widget.pageTitle,
            accessibilityID: widget.name,
            isMasked: widget.lineage.contains { $0.settings?.masking == .subtree },
            optBehavior: settings?.optBehavior ?? TypeSettings.optBehavior(of: clickstream_type(widget.object))
        )
        if let source = settings?.source { apply(source, for: GTKWidget(widget.object)) }
        // Group and section of the pages around it.
        for ancestor in widget.lineage.dropFirst() {
            guard data.trackingGroup == nil || data.trackingSection == nil, let source = ancestor.settings?.source,
                let outer = source.autoTrackEventData(for: GTKWidget(ancestor.object))
            else { continue }
            data.trackingGroup = data.trackingGroup ?? outer.trackingGroup
            data.trackingSection = data.trackingSection ?? outer.trackingSection
        }
    }
}

@MainActor
extension Widget {
    /// The class of a page: its type if the application defines it. Pages of stock widgets are distinguished by their
    /// name in the stack, their identifier in the builder file, or the name of the widget; without any of them, by their
    /// place among the pages.
    fileprivate var pageClass: String {
        let widgetClass = widgetClass
        guard widgetClass.isStock else { return widgetClass.name }
        if let name = stackName ?? builderID ?? name { return name }
        guard widgetClass.kind != .window, let stack = parent else { return widgetClass.name }
        let index = stack.children.prefix { $0 != self }.reduce(0) { count, _ in count + 1 }
        return "\(widgetClass.name):eq(\(index))"
    }

    private var stackPage: OpaquePointer? {
        guard let stack = parent, clickstream_is_a(stack.object, gtk_stack_get_type()) != 0 else { return nil }
        return gtk_stack_get_page(stack.opaque, pointer)
    }

    private var stackName: String? {
        guard let name = stackPage.flatMap({ gtk_stack_page_get_name($0) }) else { return nil }
        let text = String(cString: name)
        return text.isEmpty || text.isAddress ? nil : text
    }

    fileprivate var pageTitle: String? {
        if kind == .window {
            return gtk_window_get_title(object.assumingMemoryBound(to: GtkWindow.self)).map { String(cString: $0) }
        }
        if let notebook = lineage.dropFirst().prefix(3).first(where: { $0.kind == .notebook }) {
            return notebook.tabText(of: self)
        }
        guard let page = stackPage, let title = gtk_stack_page_get_title(page).map({ String(cString: $0) }) else {
            return nil
        }
        return gtk_stack_page_get_use_underline(page) == 0 ? title : title.withoutMnemonics
    }

    /// The text of a page's tab in this notebook.
    func tabText(of page: Widget) -> String? {
        guard let tab = Widget(gtk_notebook_get_tab_label(opaque, page.pointer)) else { return nil }
        return tab.kind == .label ? tab.displayedText : Label(in: tab)?.text
    }
}
#endif
