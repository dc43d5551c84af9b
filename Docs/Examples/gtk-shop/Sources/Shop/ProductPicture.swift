import CGtk

/// Drawing of a product. Two fingers enlarge and turn it, one finger moves it.
@MainActor
final class ProductPicture {
    let root: Widget
    private var scale = 1.0
    private var angle = 0.0
    private var hue = 0.0

    init() {
        root = gtk_drawing_area_new()!
        root.name = "picture"
        gtk_widget_set_vexpand(root, 1)
        gtk_widget_set_size_request(root, 240, 200)
        let draw: GtkDrawingAreaDrawFunc = { _, context, width, height, data in
            guard let data, let context else { return }
            let picture = Unmanaged<ProductPicture>.fromOpaque(data).takeUnretainedValue()
            MainActor.assumeIsolated { picture.draw(in: context, Double(width), Double(height)) }
        }
        gtk_drawing_area_set_draw_func(root.pointer(), draw, Unmanaged.passUnretained(self).toOpaque(), nil)
        addGestures()
    }

    func show(_ product: Product) {
        (scale, angle) = (1, 0)
        hue = Double(Product.categories.firstIndex(of: product.category) ?? 0) / 4
        gtk_widget_queue_draw(root)
    }

    private func addGestures() {
        let zoom = gtk_gesture_zoom_new()!
        on(zoom, "end") { [unowned self] in
            scale *= gtk_gesture_zoom_get_scale_delta(zoom)
            gtk_widget_queue_draw(root)
        }
        let rotation = gtk_gesture_rotate_new()!
        on(rotation, "end") { [unowned self] in
            angle += gtk_gesture_rotate_get_angle_delta(rotation)
            gtk_widget_queue_draw(root)
        }
        let others = [gtk_gesture_drag_new(), gtk_gesture_long_press_new(), gtk_gesture_click_new()].compactMap(\.self)
        for gesture in [zoom, rotation] + others { gtk_widget_add_controller(root, gesture) }
        gtk_gesture_group(zoom, rotation)
    }

    /// Draws a shoe box with a lid.
    private func draw(in context: OpaquePointer, _ width: Double, _ height: Double) {
        cairo_translate(context, width / 2, height / 2)
        cairo_rotate(context, angle)
        cairo_scale(context, scale, scale)
        cairo_set_source_rgb(context, 0.35 + hue / 2, 0.45, 0.85 - hue / 2)
        cairo_rectangle(context, -90, -30, 180, 90)
        cairo_fill(context)
        cairo_set_source_rgb(context, 0.25 + hue / 2, 0.35, 0.7 - hue / 2)
        cairo_rectangle(context, -98, -55, 196, 28)
        cairo_fill(context)
        cairo_set_source_rgb(context, 1, 1, 1)
        cairo_arc(context, 0, 15, 18, 0, 6.2832)
        cairo_fill(context)
    }
}
