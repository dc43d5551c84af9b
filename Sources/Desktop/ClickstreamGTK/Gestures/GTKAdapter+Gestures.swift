#if GTK
import CGtk4
import ClickstreamCapture

extension GTKAdapter {
    func hookGestures() {
        hook(gtk_gesture_click_get_type(), "pressed") { adapter, values in
            guard let gesture = Recognizer(values.object()), gesture.isOfApp else { return }
            let point = Capture.Point(x: g_value_get_double(values + 2), y: g_value_get_double(values + 3))
            adapter.gestureStarts[gesture.object] = (point, gesture.widget?.id)
        }
        hook(gtk_gesture_click_get_type(), "released") { adapter, values in
            guard let gesture = Recognizer(values.object()),
                let start = adapter.gestureStarts.removeValue(forKey: gesture.object)?.point
            else { return }
            let point = Capture.Point(x: g_value_get_double(values + 2), y: g_value_get_double(values + 3))
            guard !gesture.isBeyondThreshold(point.x - start.x, point.y - start.y) else { return }
            adapter.recognized(gesture) { .tap(at: $0(point), fingers: gesture.fingers) }
        }
        hook(gtk_gesture_long_press_get_type(), "pressed") { adapter, values in
            guard let gesture = Recognizer(values.object()) else { return }
            let point = Capture.Point(x: g_value_get_double(values + 1), y: g_value_get_double(values + 2))
            // The release of a long press is no tap.
            let widget = gesture.widget?.id
            adapter.gestureStarts = adapter.gestureStarts.filter { $0.value.widget != widget }
            adapter.recognized(gesture) { .longPress(at: $0(point), fingers: gesture.fingers) }
        }
        hook(gtk_gesture_drag_get_type(), "drag-end") { adapter, values in
            guard let gesture = Recognizer(values.object()) else { return }
            let offset = (x: g_value_get_double(values + 1), y: g_value_get_double(values + 2))
            adapter.dragged(gesture, by: offset)
        }
        hook(gtk_gesture_zoom_get_type(), "scale-changed") { adapter, values in
            guard let gesture = values.object() else { return }
            adapter.gestureValues[gesture] = 100 * g_value_get_double(values + 1)
        }
        hook(gtk_gesture_rotate_get_type(), "angle-changed") { adapter, values in
            guard let gesture = values.object() else { return }
            adapter.gestureValues[gesture] = 180 / .pi * g_value_get_double(values + 2)
        }
        hook(gtk_gesture_get_type(), "end") { adapter, values in
            guard let gesture = values.object() else { return }
            adapter.ended(gesture: gesture)
        }
    }

    /// Removes gestures whose end was not reported, such as those of widgets that are gone.
    func resetGestures() {
        if !gestureStarts.isEmpty { gestureStarts = [:] }
        if !gestureValues.isEmpty { gestureValues = [:] }
    }

    private func dragged(_ gesture: Recognizer, by offset: (x: Double, y: Double)) {
        var start = Capture.Point(x: 0, y: 0)
        guard gtk_gesture_drag_get_start_point(gesture.opaque, &start.x, &start.y) != 0,
            gesture.isBeyondThreshold(offset.x, offset.y)
        else { return }
        let end = Capture.Point(x: start.x + offset.x, y: start.y + offset.y)
        recognized(gesture) { .move(from: $0(start), to: $0(end)) }
    }

    /// Reports a pinch or a rotation, whose recognizer reports each change.
    private func ended(gesture object: UnsafeMutableRawPointer) {
        guard let value = gestureValues.removeValue(forKey: object), let gesture = Recognizer(object) else { return }
        let isZoom = clickstream_is_a(object, gtk_gesture_zoom_get_type()) != 0
        // Two fingers always do both a little: without a change of the integer there is no gesture.
        guard Int(saturating: value) != (isZoom ? 100 : 0) else { return }
        recognized(gesture) { _ in isZoom ? .scale(from: 100, to: value) : .rotate(from: 0, to: value) }
    }

    /// Reports a gesture of a recognizer that the application added.
    /// - Parameter description: describes the gesture; its parameter converts points of the widget to points of the window.
    private func recognized(
        _ gesture: Recognizer,
        _ description: ((Capture.Point) -> Capture.Point) -> RecognizedGesture
    ) {
        guard gesture.isOfApp, let widget = gesture.widget else { return }
        let recognized = description { widget.windowPoint($0) }
        var path = Capture.ElementPath(to: widget)
        // Settings of the recognizer precede those of its widget.
        if let settings = ObjectSettings.of(gesture.object), let last = path.links.indices.last {
            if let own = settings.optBehavior { path.links[last].element.optBehavior = own }
            if let source = settings.source { path.links[last].element.apply(source, for: GTKWidget(gesture.object)) }
        }
        capture.gesture(recognized, on: path)
    }
}

/// Recognizer of a gesture.
@MainActor
private struct Recognizer {
    let object: UnsafeMutableRawPointer

    init?(_ object: UnsafeMutableRawPointer?) {
        guard let object else { return nil }
        self.object = object
    }

    var opaque: OpaquePointer { OpaquePointer(object) }

    /// The widget that the recognizer was added to.
    var widget: Widget? { Widget(gtk_event_controller_get_widget(opaque)) }

    /// True for a recognizer that the application added.
    var isOfApp: Bool { widget?.widgetClass.hasOwnRecognizersOnly ?? false }

    /// True if a movement is a drag by the settings of the toolkit.
    func isBeyondThreshold(_ x: Double, _ y: Double) -> Bool {
        guard let widget else { return false }
        let (x, y) = (Int32(clamping: Int(saturating: x)), Int32(clamping: Int(saturating: y)))
        return gtk_drag_check_threshold(widget.pointer, 0, 0, x, y) != 0
    }

    /// The number of fingers that the recognizer requires.
    var fingers: Int {
        var value = GValue()
        g_value_init(&value, GType(6 << 2))
        defer { g_value_unset(&value) }
        g_object_get_property(object.assumingMemoryBound(to: GObject.self), "n-points", &value)
        return Int(g_value_get_int(&value))
    }
}

@MainActor
extension Widget {
    /// Returns a point in the coordinates of the window.
    fileprivate func windowPoint(_ point: Capture.Point) -> Capture.Point {
        guard let root else { return point }
        var (x, y) = (0.0, 0.0)
        guard gtk_widget_translate_coordinates(pointer, root.pointer, point.x, point.y, &x, &y) != 0 else {
            return point
        }
        return Capture.Point(x: x, y: y)
    }
}
#endif
