import CGtk

/// One product: its picture, which fingers turn and enlarge, the quantity, and the button that adds it to the cart.
@MainActor
final class ProductPage {
    let root: Widget
    private let title: Widget
    private let picture = ProductPicture()
    private let quantity: Widget
    private let size: Widget
    private var product = Product.all[0]

    init(add: @escaping @MainActor (Product, Int) -> Void, back: @escaping @MainActor () -> Void) {
        title = gtk_label_new(nil)!
        gtk_widget_add_css_class(title, "title-2")
        quantity = gtk_spin_button_new_with_range(1, 9, 1)!
        quantity.name = "quantity"
        size = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 36, 46, 1)!
        size.name = "size"
        gtk_scale_set_draw_value(size.pointer(), 1)
        gtk_widget_set_hexpand(size, 1)
        let addButton = gtk_button_new_with_mnemonic(localized("_Add to cart"))!
        addButton.name = "add-to-cart"
        gtk_widget_add_css_class(addButton, "suggested-action")
        let backButton = gtk_button_new_with_label(localized("Back"))!
        backButton.name = "back"

        root = column([
            title, picture.root, labeled("Size", size), labeled("Quantity", quantity), row([addButton, backButton]),
        ])
        root.name = "product"
        on(addButton, "clicked") { [unowned self] in
            add(product, Int(gtk_spin_button_get_value_as_int(quantity.opaque)))
        }
        on(backButton, "clicked", back)
    }

    /// Shows a product, with the default quantity and size.
    func show(_ product: Product) {
        self.product = product
        gtk_label_set_text(title.opaque, "\(product.name) – \(product.price) EUR")
        gtk_spin_button_set_value(quantity.opaque, 1)
        gtk_range_set_value(size.pointer(), 41)
        picture.show(product)
    }
}
