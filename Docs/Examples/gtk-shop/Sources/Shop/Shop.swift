import CGtk
import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamGTK
import Glibc

/// The window with its pages, and the state that they share.
@MainActor
final class Shop {
    /// Folder of the translations: `de/LC_MESSAGES/gtk-shop.mo`.
    static var catalogs: String { getenv("SHOP_LOCALES").map { String(cString: $0) } ?? "/usr/share/locale" }

    private let application: UnsafeMutablePointer<GtkApplication>
    /// Automatic capture, which the app keeps as long as it runs.
    private var capture: Capture?
    private(set) var cart: [Product] = []
    private var pages: Widget!
    private var catalog: CatalogPage!
    private var details: ProductPage!
    private var basket: CartPage!

    init(application: UnsafeMutablePointer<GtkApplication>) {
        self.application = application
    }

    /// Starts to capture, and shows the window.
    func activate() {
        startCapture()
        catalog = CatalogPage { [unowned self] in open($0) }
        details = ProductPage(
            add: { [unowned self] in add($0, count: $1) },
            back: { [unowned self] in show("catalog") }
        )
        basket = CartPage { [unowned self] in await checkOut() }
        pages = gtk_stack_new()!
        addPage(catalog.root, "catalog", title: "Catalog")
        addPage(basket.root, "cart", title: "Cart")
        addPage(SettingsPage().root, "settings", title: "Settings")
        gtk_stack_add_named(pages.opaque, details.root, "product")

        let window = gtk_application_window_new(application)!
        window.name = "shop"
        gtk_window_set_title(window.pointer(), "Shop")
        gtk_window_set_default_size(window.pointer(), 860, 620)
        gtk_window_set_titlebar(window.pointer(), header())
        gtk_window_set_child(window.pointer(), pages)
        gtk_window_present(window.pointer())
    }

    private func startCapture() {
        guard capture == nil, let client = ClickstreamAnalytics.client else { return }
        let server = getenv("CLICKSTREAM_COLLECTOR").map { String(cString: $0) }
        let capture = Capture(
            client: client,
            configuration: CaptureConfiguration(
                autoEvents: AutoEventType.all,
                pulse: server.map { PulseSettings(endpoint: $0 + "/pulse") },
                contentsquare: server.map { ContentsquareSettings(endpoint: $0 + "/contentsquare", projectID: 8) }
            )
        )
        capture.observeGTK()
        self.capture = capture
    }

    // MARK: Window

    private func addPage(_ page: Widget, _ name: String, title: String) {
        gtk_stack_add_titled(pages.opaque, page, name, localized(title))
    }

    private func header() -> Widget {
        let header = gtk_header_bar_new()!
        let switcher = gtk_stack_switcher_new()!
        gtk_stack_switcher_set_stack(switcher.opaque, pages.opaque)
        gtk_header_bar_set_title_widget(header.opaque, switcher)

        let home = gtk_button_new_from_icon_name("go-home-symbolic")!
        home.name = "home"
        on(home, "clicked") { [unowned self] in show("catalog") }
        gtk_header_bar_pack_start(header.opaque, home)

        let menu = g_menu_new()!
        for (label, action) in [("_Empty cart", "app.empty-cart"), ("_About Shop", "app.about")] {
            g_menu_append(menu, localized(label), action)
        }
        let button = gtk_menu_button_new()!
        button.name = "menu"
        gtk_menu_button_set_icon_name(button.opaque, "open-menu-symbolic")
        gtk_menu_button_set_menu_model(button.opaque, UnsafeMutablePointer(menu))
        gtk_header_bar_pack_end(header.opaque, button)
        addAction("empty-cart") { [unowned self] in empty() }
        addAction("about") { [unowned self] in showAbout() }
        return header
    }

    private func addAction(_ name: String, _ body: @escaping @MainActor () -> Void) {
        let action = g_simple_action_new(name, nil)!
        onActivate(of: action, body)
        g_action_map_add_action(application.opaque, action)
    }

    private func showAbout() {
        let window = gtk_window_new()!
        window.name = "about"
        gtk_window_set_title(window.pointer(), localized("About Shop"))
        gtk_window_set_default_size(window.pointer(), 320, 160)
        gtk_window_set_transient_for(window.pointer(), gtk_application_get_active_window(application))
        let close = gtk_button_new_with_label(localized("Close"))!
        close.name = "close-about"
        on(close, "clicked") { gtk_window_destroy(window.pointer()) }
        gtk_window_set_child(window.pointer(), column([gtk_label_new("Shop 1.0"), close]))
        gtk_window_present(window.pointer())
    }

    // MARK: Visit

    private func show(_ page: String) {
        gtk_stack_set_visible_child_name(pages.opaque, page)
    }

    private func open(_ product: Product) {
        details.show(product)
        show("product")
    }

    private func add(_ product: Product, count: Int) {
        cart += Array(repeating: product, count: count)
        basket.show(cart)
        show("cart")
    }

    private func empty() {
        cart = []
        basket.show(cart)
    }

    /// Reports the purchase, and sends all events. The result is shown when the server has replied, on the main actor.
    private func checkOut() async -> String {
        let total = cart.reduce(0) { $0 + $1.price }
        let purchase = Capture.Currency("EUR").flatMap { Capture.Transaction(value: Double(total), currency: $0) }
        if let purchase { capture?.transaction(purchase) }
        empty()
        let report = await ClickstreamAnalytics.flush()
        return "\(localized("Thank you")): \(total) EUR, \(report.sent) events sent"
    }
}
