import CGtk

/// List of the products, with a search and a category.
@MainActor
final class CatalogPage {
    let root: Widget
    private let list: Widget
    private let search: Widget
    private let category: Widget
    private let names: OpaquePointer
    private var products = Product.all

    init(open: @escaping @MainActor (Product) -> Void) {
        search = gtk_search_entry_new()!
        search.name = "search"
        gtk_widget_set_hexpand(search, 1)
        category = withStrings(Product.categories.map(localized)) { gtk_drop_down_new_from_strings($0) }
        category.name = "category"

        names = gtk_string_list_new(nil)
        let selection = gtk_single_selection_new(names)!
        let factory = gtk_signal_list_item_factory_new()!
        Self.connect(factory)
        list = gtk_list_view_new(selection, factory)!
        list.name = "products"
        gtk_list_view_set_single_click_activate(list.opaque, 1)

        let scroller = gtk_scrolled_window_new()!
        scroller.name = "catalog-scroller"
        gtk_scrolled_window_set_child(scroller.opaque, list)
        gtk_widget_set_vexpand(scroller, 1)
        root = column([row([search, category]), scroller])
        root.name = "catalog"

        on(search, "search-changed") { [unowned self] in filter() }
        onChange(of: "selected", category.opaque) { [unowned self] in filter() }
        onActivate(of: list.opaque) { [unowned self] in
            let position = Int(gtk_single_selection_get_selected(selection))
            if products.indices.contains(position) { open(products[position]) }
        }
        filter()
    }

    /// Shows the products of the category whose names contain the searched text.
    private func filter() {
        let text = String(cString: gtk_editable_get_text(search.opaque)).lowercased()
        let wanted = Product.categories[Int(gtk_drop_down_get_selected(category.opaque))]
        products = Product.all.filter {
            (wanted == "All" || $0.category == wanted) && (text.isEmpty || $0.name.lowercased().contains(text))
        }
        let lines = products.map { "\($0.name) – \($0.price) EUR" }
        withStrings(lines) {
            gtk_string_list_splice(names, 0, g_list_model_get_n_items(names), $0)
        }
    }

    /// Creates and fills the rows of the list.
    private static func connect(_ factory: OpaquePointer) {
        let setup: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
            let label = gtk_label_new(nil)!
            gtk_label_set_xalign(label.opaque, 0)
            gtk_widget_set_size_request(label, -1, 44)
            gtk_list_item_set_child(item, label)
        }
        let bind: @convention(c) (gpointer?, OpaquePointer?, gpointer?) -> Void = { _, item, _ in
            guard let object = gtk_list_item_get_item(item), let label = gtk_list_item_get_child(item) else { return }
            gtk_label_set_text(label.opaque, gtk_string_object_get_string(OpaquePointer(object)))
        }
        for (signal, callback) in [("setup", setup), ("bind", bind)] {
            g_signal_connect_data(
                UnsafeMutableRawPointer(factory),
                signal,
                unsafeBitCast(callback, to: GCallback.self),
                nil,
                nil,
                GConnectFlags(rawValue: 0)
            )
        }
    }
}

/// Calls a function with an array of C strings that is terminated by `nil`.
func withStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    let copies = strings.map { g_strdup($0) }
    defer { for copy in copies { g_free(copy) } }
    return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
}
