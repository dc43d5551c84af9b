#if GTK
import CGtk4
import ClickstreamCapture

extension Capture.ElementPath {
    /// The path to the element of an event, from the top of its page. Ancestors without settings are omitted: they have
    /// no effect on the event.
    @MainActor
    init(to widget: Widget, text: String? = nil) {
        let page = widget.page
        self.init(page: page?.id)
        var ancestors: [Link] = []
        var next = widget == page ? nil : widget.parent
        while let ancestor = next, ancestor.kind != .window {
            if let settings = ancestor.settings {
                ancestors.append(
                    Link(Capture.Element(ancestor: ancestor, settings: settings, isInTarget: false), ordinal: 0)
                )
            }
            next = ancestor == page ? nil : ancestor.parent
        }
        links = ancestors.reversed()
        links.append(Link(Capture.Element(widget, text: text), ordinal: 0))
        if let page { maskInside(page) }
    }

    /// The path to the target of a touch, with all ancestors and their places among their siblings.
    @MainActor
    init(target widget: Widget) {
        let page = widget.page
        self.init(page: page?.id)
        var links: [Link] = []
        var next: Widget? = widget
        while let current = next, current.kind != .window {
            let element =
                current == widget
                ? Capture.Element(widget)
                : Capture.Element(ancestor: current, settings: current.settings, isInTarget: true)
            links.append(Link(element, ordinal: current == page ? 0 : current.ordinal))
            next = current == page ? nil : current.parent
        }
        self.links = links.reversed()
        if let page { maskInside(page) }
    }

    /// Masks the element if its page, or a widget around the page, is masked now.
    @MainActor
    private mutating func maskInside(_ page: Widget) {
        guard let last = links.indices.last, page.lineage.contains(where: { $0.settings?.masking == .subtree }) else {
            return
        }
        links[last].element.masking = .subtree
    }
}

@MainActor
extension Widget {
    /// The number of earlier siblings of the same class.
    fileprivate var ordinal: Int {
        let type = clickstream_type(object)
        var count = 0
        var next = Widget(gtk_widget_get_prev_sibling(pointer))
        while let sibling = next {
            if clickstream_type(sibling.object) == type { count += 1 }
            next = Widget(gtk_widget_get_prev_sibling(sibling.pointer))
        }
        return count
    }

    /// The control that contains the widget as a part, else the widget itself.
    var control: Widget {
        var control = self
        for ancestor in lineage {
            if ancestor.isNative { break }
            if ancestor.kind.isControl { control = ancestor }
        }
        return control
    }
}
#endif
