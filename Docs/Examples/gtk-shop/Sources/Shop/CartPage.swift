import CGtk

/// The cart, as a notebook: its items, and the delivery.
@MainActor
final class CartPage {
    let root: Widget
    private let items: Widget
    private let status: Widget

    init(checkOut: @escaping @MainActor () async -> String) {
        items = gtk_list_box_new()!
        items.name = "cart-items"
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_child(scroller.opaque, items)
        gtk_widget_set_vexpand(scroller, 1)
        status = gtk_label_new(localized("The cart is empty"))!
        status.name = "status"
        let button = gtk_button_new_with_label(localized("Check out"))!
        button.name = "check-out"
        let gift = gtk_check_button_new_with_label(localized("Gift wrap"))!
        gift.name = "gift"
        let first = column([scroller, gift, row([button, status])])
        first.name = "items"

        let standard = gtk_check_button_new_with_label(localized("Standard"))!
        standard.name = "standard"
        let express = gtk_check_button_new_with_label(localized("Express"))!
        express.name = "express"
        gtk_check_button_set_group(express.pointer(), standard.pointer())
        gtk_check_button_set_active(standard.pointer(), 1)
        let second = column([standard, express])
        second.name = "delivery"

        root = gtk_notebook_new()!
        root.name = "cart"
        gtk_notebook_append_page(root.opaque, first, gtk_label_new(localized("Items")))
        gtk_notebook_append_page(root.opaque, second, gtk_label_new(localized("Delivery")))
        on(button, "clicked") { [unowned self] in
            Task {
                let result = await checkOut()
                gtk_label_set_text(status.opaque, result)
            }
        }
    }

    func show(_ cart: [Product]) {
        while let row = gtk_list_box_get_row_at_index(items.opaque, 0) {
            gtk_list_box_remove(items.opaque, row.pointer())
        }
        for product in cart {
            gtk_list_box_append(items.opaque, gtk_label_new("\(product.name) – \(product.price) EUR"))
        }
        let text = cart.isEmpty ? localized("The cart is empty") : "\(cart.count)"
        gtk_label_set_text(status.opaque, text)
    }
}
