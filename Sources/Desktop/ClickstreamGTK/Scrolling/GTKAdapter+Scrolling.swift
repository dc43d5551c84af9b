#if GTK
import CGtk4
import ClickstreamCapture

/// Scrolled window with the adjustment of one of its axes.
@MainActor
struct ScrollView {
    var widget: Widget
    var horizontal: UnsafeMutablePointer<GtkAdjustment>
    var vertical: UnsafeMutablePointer<GtkAdjustment>
    /// The position after the last change.
    var position: Capture.ScrollPosition
    /// The time of the last change that was reported, and the path of the report.
    var reported: (time: Int64, path: Capture.ElementPath)?

    /// True if the scrolled window still has these adjustments: an application may replace and release them.
    var isCurrent: Bool {
        gtk_scrolled_window_get_hadjustment(widget.opaque) == horizontal
            && gtk_scrolled_window_get_vadjustment(widget.opaque) == vertical
    }
}

extension GTKAdapter {
    func hookScrolls() {
        hook(gtk_adjustment_get_type(), "value-changed") { adapter, values in
            guard let adjustment = values.object() else { return }
            adapter.changed(adjustment: adjustment)
        }
    }

    /// Remembers the adjustments of a scrolled window that is on the screen.
    func mapped(scrollView widget: Widget) {
        guard isEnabled([.scroll]) else { return }
        guard let horizontal = gtk_scrolled_window_get_hadjustment(widget.opaque),
            let vertical = gtk_scrolled_window_get_vadjustment(widget.opaque)
        else { return }
        observe(widget.object)
        scrollViews = scrollViews.filter { $0.value.widget != widget }
        let view = ScrollView(
            widget: widget,
            horizontal: horizontal,
            vertical: vertical,
            position: Capture.ScrollPosition(horizontal, vertical)
        )
        scrollViews[UnsafeMutableRawPointer(horizontal)] = view
        scrollViews[UnsafeMutableRawPointer(vertical)] = view
    }

    /// Remembers the adjustments of the scrolled windows around a widget that were replaced.
    func updateScrollViews(around widget: Widget?) {
        guard isEnabled([.scroll]), let widget else { return }
        for view in widget.lineage where view.kind == .scrolledWindow {
            let adjustment = gtk_scrolled_window_get_vadjustment(view.opaque).map { UnsafeMutableRawPointer($0) }
            guard adjustment.flatMap({ scrollViews[$0] })?.isCurrent != true else { continue }
            mapped(scrollView: view)
        }
    }

    /// Reports a change by the user: one that follows input inside of the view, or another change of the same movement.
    private func changed(adjustment: UnsafeMutableRawPointer) {
        guard var view = scrollViews[adjustment] else { return }
        guard view.isCurrent else { return mapped(scrollView: view.widget) }
        let now = now
        let position = Capture.ScrollPosition(view.horizontal, view.vertical)
        defer {
            view.position = position
            scrollViews[UnsafeMutableRawPointer(view.horizontal)] = view
            scrollViews[UnsafeMutableRawPointer(view.vertical)] = view
        }
        if let reported = view.reported, now - reported.time < Self.scrollPause {
            view.reported?.time = now
            return capture.scroll(reported.path, to: position)
        }
        view.reported = nil
        guard input.isInside(view.widget.id, at: now) else { return }
        let path = Capture.ElementPath(to: view.widget)
        view.reported = (now, path)
        // Positions that the program set are no part of the scroll.
        capture.remove(view.widget.id)
        capture.scroll(path, to: view.position)
        capture.scroll(path, to: position)
    }

    /// The pause after which a movement has ended, in milliseconds; that of the machine.
    private static let scrollPause: Int64 = 200
}

extension Capture.ScrollPosition {
    @MainActor
    fileprivate init(_ horizontal: UnsafeMutablePointer<GtkAdjustment>, _ vertical: UnsafeMutablePointer<GtkAdjustment>)
    {
        self.init(horizontal: Axis(horizontal), vertical: Axis(vertical))
    }
}

extension Capture.ScrollPosition.Axis {
    @MainActor
    fileprivate init(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
        let lower = gtk_adjustment_get_lower(adjustment)
        self.init(
            offset: gtk_adjustment_get_value(adjustment) - lower,
            visible: gtk_adjustment_get_page_size(adjustment),
            content: gtk_adjustment_get_upper(adjustment) - lower
        )
    }
}
#endif
