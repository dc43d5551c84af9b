#if GTK
import CGtk4
import ClickstreamCapture

/// Fingers on the screen, and the pressed pointer, which is a finger too.
@MainActor
struct Fingers {
    private var down: [ID: Finger] = [:]

    /// Identity of a finger. A touch may have an empty sequence too.
    struct ID: Hashable {
        var isTouch: Bool
        var sequence: UnsafeMutableRawPointer?

        static var pointer: ID { ID(isTouch: false, sequence: nil) }
    }

    struct Finger {
        var slot: UInt8
        var surface: OpaquePointer
        /// The innermost control under the finger when it came down; `nil` if there is none, or if it is gone.
        let target: WeakWidget
        /// The time of the last event in GDK's clock of 32 bits, in milliseconds; 0 if unknown.
        var time: UInt32 = 0

        /// True for the time of an event that is older than the last one, and for no unknown time.
        ///
        /// GDK delivers the last, compressed update of a touch after its end, and also after the begin of the next touch
        /// with the same sequence.
        func isOutdated(_ time: UInt32) -> Bool {
            time != 0 && self.time != 0 && Int32(bitPattern: time &- self.time) < 0
        }
    }

    subscript(id: ID) -> Finger? { down[id] }

    /// True if no finger is on the screen.
    var isEmpty: Bool { down.isEmpty }

    /// Adds a finger, with the lowest free slot.
    mutating func add(_ id: ID, on surface: OpaquePointer, _ widget: Widget?, at time: UInt32 = 0) -> Finger {
        let used = down.values.map(\.slot)
        let slot = down[id]?.slot ?? (0..<63).first { !used.contains($0) } ?? 63
        let finger = Finger(slot: slot, surface: surface, target: WeakWidget(widget), time: time)
        down[id] = finger
        return finger
    }

    mutating func remove(_ id: ID) -> Finger? { down.removeValue(forKey: id) }

    /// Removes all fingers of touches.
    mutating func removeTouches() -> [Finger] {
        down.keys.filter(\.isTouch).compactMap { down.removeValue(forKey: $0) }
    }

    /// Accepts the time of a finger's move.
    /// - Returns: the finger; `nil` if it is not down, or if the move is older than its last event.
    mutating func move(_ id: ID, at time: UInt32) -> Finger? {
        guard var finger = down[id], !finger.isOutdated(time) else { return nil }
        if time != 0 { finger.time = time }
        down[id] = finger
        return finger
    }
}

/// Reference to a widget that becomes `nil` when the widget is released.
@MainActor
final class WeakWidget {
    private let reference = UnsafeMutablePointer<GWeakRef>.allocate(capacity: 1)

    init(_ widget: Widget?) {
        g_weak_ref_init(reference, widget?.object)
    }

    isolated deinit {
        g_weak_ref_clear(reference)
        reference.deallocate()
    }

    var widget: Widget? {
        guard let object = g_weak_ref_get(reference) else { return nil }
        // The tree of widgets holds it during a signal.
        g_object_unref(object)
        return Widget(UnsafeMutableRawPointer(object))
    }
}

/// Last position of the pointer, since events of a wheel have none.
@MainActor
struct PointerPosition {
    private var surface: OpaquePointer?
    private var x = 0.0
    private var y = 0.0

    mutating func update(_ event: OpaquePointer) {
        surface = gdk_event_get_surface(event)
        _ = gdk_event_get_position(event, &x, &y)
    }

    /// Returns the innermost widget at the position, if it is on a surface.
    func widget(on surface: OpaquePointer?) -> Widget? {
        guard let surface, surface == self.surface, let native = gtk_native_get_for_surface(surface) else { return nil }
        var (left, top) = (0.0, 0.0)
        gtk_native_get_surface_transform(native, &left, &top)
        let window = Widget(UnsafeMutableRawPointer(native))
        return Widget(gtk_widget_pick(window.pointer, x - left, y - top, GTK_PICK_DEFAULT))
    }
}

extension GTKAdapter {
    /// One hook for all input: capture-phase controllers of windows do not see popovers.
    func hookSurfaces() {
        hook(gdk_surface_get_type(), "event") { adapter, values in
            guard let event = values.object(1) else { return }
            adapter.received(OpaquePointer(event))
        }
    }

    private func received(_ event: OpaquePointer) {
        let type = gdk_event_get_event_type(event)
        switch type {
        case GDK_MOTION_NOTIFY:
            pointerPosition.update(event)
            if !fingers.isEmpty { moved(event, .pointer) }
        case GDK_ENTER_NOTIFY: pointerPosition.update(event)
        case GDK_BUTTON_PRESS: pressed(event, .pointer, isPrimary: gdk_button_event_get_button(event) == 1)
        case GDK_BUTTON_RELEASE: released(event, .pointer, isPrimary: gdk_button_event_get_button(event) == 1)
        case GDK_TOUCH_BEGIN: pressed(event, touch(of: event), isPrimary: true)
        case GDK_TOUCH_UPDATE: moved(event, touch(of: event))
        case GDK_TOUCH_END: released(event, touch(of: event), isPrimary: true)
        case GDK_TOUCH_CANCEL: canceled(touch(of: event))
        case GDK_GRAB_BROKEN: canceled(.pointer)
        case GDK_KEY_PRESS: keyPressed(event)
        case GDK_SCROLL:
            let widget = pointerPosition.widget(on: gdk_event_get_surface(event))
            updateScrollViews(around: widget)
            input.wheel(chain(widget), at: now)
        default: break
        }
    }

    private func touch(of event: OpaquePointer) -> Fingers.ID {
        Fingers.ID(isTouch: true, sequence: gdk_event_get_event_sequence(event).map { UnsafeMutableRawPointer($0) })
    }

    // MARK: Pointer and fingers

    private func pressed(_ event: OpaquePointer, _ id: Fingers.ID, isPrimary: Bool) {
        guard let location = location(of: event) else { return }
        flushValue()
        // Broadway reports no end of a touch on a node that GTK replaced meanwhile, but the browser's mouse events.
        if !id.isTouch { for finger in fingers.removeTouches() { report(.cancel, location.point, finger) } }
        if fingers.isEmpty { resetGestures() }
        updateScrollViews(around: location.widget)
        input.press(chain(location.widget), at: now)
        guard isPrimary else { return }
        let finger = fingers.add(id, on: location.surface, location.widget?.control, at: gdk_event_get_time(event))
        report(.down, location.point, finger)
    }

    private func moved(_ event: OpaquePointer, _ id: Fingers.ID) {
        guard let finger = fingers.move(id, at: gdk_event_get_time(event)),
            let position = position(of: event, on: finger.surface)
        else { return }
        guard position.isInside else {
            _ = fingers.remove(id)
            return report(.leave, position.point, finger)
        }
        report(.move, position.point, finger)
    }

    private func released(_ event: OpaquePointer, _ id: Fingers.ID, isPrimary: Bool) {
        let location = location(of: event)
        input.release(chain(location?.widget), at: now)
        beginDispatch()
        flushValue()
        guard isPrimary, let finger = fingers.remove(id) else { return }
        if let position = position(of: event, on: finger.surface), position.isInside {
            report(.up, position.point, finger)
        } else {
            report(.leave, Capture.Point(x: 0, y: 0), finger)
        }
    }

    private func canceled(_ id: Fingers.ID) {
        guard let finger = fingers.remove(id) else { return }
        report(.cancel, Capture.Point(x: 0, y: 0), finger)
    }

    private func report(_ phase: Capture.Touch.Phase, _ point: Capture.Point, _ finger: Fingers.Finger) {
        capture.touch(Capture.Touch(phase, at: point, finger: finger.slot)) { _ in
            finger.target.widget.map { Capture.ElementPath(target: $0) } ?? Capture.ElementPath(page: nil)
        }
    }

    // MARK: Positions

    private struct Location {
        var surface: OpaquePointer
        var point: Capture.Point
        /// The innermost widget at the point.
        var widget: Widget?
    }

    /// The place of an event in its window or popover.
    private func location(of event: OpaquePointer) -> Location? {
        guard let surface = gdk_event_get_surface(event), let native = gtk_native_get_for_surface(surface),
            let position = position(of: event, on: surface)
        else { return nil }
        let widget = Widget(UnsafeMutableRawPointer(native))
        let hit = gtk_widget_pick(widget.pointer, position.point.x, position.point.y, GTK_PICK_DEFAULT)
        return Location(surface: surface, point: position.point, widget: Widget(hit))
    }

    /// The point of an event in the coordinates of the window or popover, and if it is inside of it.
    private func position(of event: OpaquePointer, on surface: OpaquePointer) -> (point: Capture.Point, isInside: Bool)?
    {
        var (x, y) = (0.0, 0.0)
        guard gdk_event_get_surface(event) == surface, gdk_event_get_position(event, &x, &y) != 0 else { return nil }
        let isInside =
            x >= 0 && y >= 0 && x < Double(gdk_surface_get_width(surface))
            && y < Double(gdk_surface_get_height(surface))
        var (left, top) = (0.0, 0.0)
        if let native = gtk_native_get_for_surface(surface) { gtk_native_get_surface_transform(native, &left, &top) }
        return (Capture.Point(x: x - left, y: y - top), isInside)
    }

    /// The widget and its ancestors up to the window.
    private func chain(_ widget: Widget?) -> [InstanceID] {
        widget?.lineage.map(\.id) ?? []
    }

    // MARK: Keys

    private func keyPressed(_ event: OpaquePointer) {
        guard let surface = gdk_event_get_surface(event), let native = gtk_native_get_for_surface(surface) else {
            return
        }
        let window = Widget(UnsafeMutableRawPointer(native)).root
        let focus = window.flatMap { Widget(gtk_root_get_focus($0.opaque)) } ?? window
        let source = UserInput.Source(
            key: Int32(bitPattern: gdk_key_event_get_keyval(event)),
            modifiers: gdk_event_get_modifier_state(event),
            focus: focus?.kind ?? .other
        )
        input.key(chain(focus), source, at: now)
        beginDispatch()
    }
}

extension UserInput.Source {
    /// - Parameter focus: the kind of the widget with the focus.
    init(key: Int32, modifiers: GdkModifierType, focus: WidgetClass.Kind = .other) {
        let shortcut = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
        if modifiers.rawValue & shortcut != 0 || (GDK_KEY_F1...GDK_KEY_F35).contains(key) || key == GDK_KEY_Escape {
            self = .shortcutKey
        } else if Self.focusKeys.contains(key) || Self.entersText(key, into: focus) {
            self = .editingKey
        } else {
            self = Self.activatingKeys.contains(key) ? .activatingKey : .otherKey
        }
    }

    /// True for a key that enters or deletes text. Return activates a field with one line.
    private static func entersText(_ key: Int32, into focus: WidgetClass.Kind) -> Bool {
        switch focus {
        case .text: !returnKeys.contains(key) && !navigationKeys.contains(key)
        case .textView: !navigationKeys.contains(key)
        default: false
        }
    }

    private static let returnKeys: Set<Int32> = [GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter]
    private static let activatingKeys = returnKeys.union([GDK_KEY_space, GDK_KEY_KP_Space])
    private static let focusKeys: Set<Int32> = [GDK_KEY_Tab, GDK_KEY_KP_Tab, GDK_KEY_ISO_Left_Tab]
    private static let navigationKeys: Set<Int32> = [
        GDK_KEY_Up, GDK_KEY_Down, GDK_KEY_Left, GDK_KEY_Right, GDK_KEY_Page_Up, GDK_KEY_Page_Down, GDK_KEY_Home,
        GDK_KEY_End, GDK_KEY_KP_Up, GDK_KEY_KP_Down, GDK_KEY_KP_Left, GDK_KEY_KP_Right, GDK_KEY_KP_Page_Up,
        GDK_KEY_KP_Page_Down, GDK_KEY_KP_Home, GDK_KEY_KP_End,
    ]
}
#endif
