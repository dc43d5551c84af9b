import ClickstreamCapture
import ClickstreamCore
import ClickstreamDocuments
import ClickstreamJudges
import ClickstreamReplay

/// The user interface of the simulated shop, and what its users do with it.
enum ShopInterface {
    /// Gesture on the photo of a product.
    enum PhotoGesture: Sendable {
        case flick, zoom, press
    }

    /// Settings of automatic capture with every auto event.
    static func capture(_ forms: Set<CapturedFormat>) -> CaptureFacts {
        CaptureFacts(
            autoEvents: AutoEventType.all,
            formats: Dictionary(uniqueKeysWithValues: forms.map { ($0.name, ["projectId": 8]) })
        )
    }

    /// The class of the page with a name.
    static func page(_ name: String) -> String { "\(name)ViewController" }

    /// The pages by their class.
    static let pages: [String: ScriptedPage] = {
        do throws(DocumentError) {
            return try ScriptReader.read(Array(script.utf8), file: "shop.json").pages ?? [:]
        } catch {
            preconditionFailure("Invalid state: the shop's user interface cannot be read: \(error)")
        }
    }()

    // MARK: Steps

    /// Scrolls the list of products.
    static func browse(to offset: Double, inMilliseconds duration: Int64) -> [Step.Action] {
        [.input(.scroll(Step.ScrollTo(view: "products", to: .offset(offset), in: duration)))]
    }

    /// Taps a product of the list, and looks at its photo.
    static func openProduct(photo: PhotoGesture) -> [Step.Action] {
        var steps: [Step.Action] = [.input(.show(page: page("Product"))), .wait(900)]
        let center = Capture.Point(x: 200, y: 250)
        switch photo {
        case .flick:
            let points = [(330.0, 0), (200.0, 40), (70.0, 80)].map { x, delay in
                Step.TouchPoint(Capture.Point(x: x, y: 250), after: Int64(delay))
            }
            steps.append(.input(.touch(points)))
        case .zoom:
            steps.append(.input(.gesture(.scale(from: 100, to: 180), view: "photo")))
        case .press:
            steps.append(.input(.touch([Step.TouchPoint(center), Step.TouchPoint(center, after: 620)])))
        }
        return steps
    }

    /// Taps a button of the current page.
    static func press(_ button: String) -> [Step.Action] {
        let point = buttons[button] ?? Capture.Point(x: 0, y: 0)
        return [
            .input(.touch([Step.TouchPoint(point), Step.TouchPoint(point, after: 90)])),
            .input(.click(view: button)),
        ]
    }

    /// Reports a purchase.
    static func pay(_ value: Double, items: Int, id: String) -> [Step.Action] {
        var steps: [Step.Action] = [
            .report(.variable(DynamicVariable(key: "cart_size", value: .integer(Int64(items)))))
        ]
        if let dollar = Capture.Currency("USD"),
            let transaction = Capture.Transaction(value: value, currency: dollar, id: id)
        {
            steps.append(.report(.transaction(transaction)))
        }
        steps.append(.report(.revenue(.purchase, ["price": value, "currency": "USD"])))
        return steps
    }

    /// Points within the buttons.
    private static let buttons = [
        "banner": Capture.Point(x: 196, y: 80), "add_to_cart": Capture.Point(x: 196, y: 724),
        "pay": Capture.Point(x: 196, y: 724),
    ]

    private static let script = """
        {
          "clickstream": 1,
          "ui": {
            "HomeViewController": { "name": "Home", "views": [
              { "class": "UIButton", "kind": "button", "name": "banner", "text": "Spring sale", "frame": [0, 60, 393, 44],
                "responds": true },
              { "class": "UITableView", "kind": "table_view_cell", "name": "products", "frame": [0, 110, 393, 640],
                "items": { "height": 80, "data": [
                  { "id": "sku-101", "name": "Trail runner" }, { "id": "sku-102", "name": "City sneaker" },
                  { "id": "sku-201", "name": "Rain jacket" }, { "id": "sku-202", "name": "Down vest" },
                  { "id": "sku-301", "name": "Wool socks" }, { "id": "sku-302", "name": "Bottle" },
                  { "id": "sku-401", "name": "Tent for two" }, { "id": "sku-402", "name": "Sleeping bag" },
                  { "id": "sku-403", "name": "Stove" }, { "id": "sku-404", "name": "Lamp" },
                  { "id": "sku-405", "name": "Rope" }, { "id": "sku-406", "name": "Map" },
                  { "id": "sku-407", "name": "Compass" }, { "id": "sku-408", "name": "Knife" }
                ] } }
            ] },
            "SearchViewController": { "name": "Search", "views": [
              { "class": "UISearchBar", "name": "search", "input": 11, "frame": [16, 60, 361, 40], "responds": true }
            ] },
            "ProductViewController": { "name": "Product", "views": [
              { "class": "UIImageView", "name": "photo", "accessibility_id": "product_photo", "frame": [0, 100, 393, 300],
                "responds": true },
              { "class": "UIButton", "kind": "button", "name": "add_to_cart", "text": "Add to cart",
                "localized_key": "product.add", "frame": [16, 700, 361, 48], "responds": true }
            ] },
            "LoginViewController": { "name": "Login", "views": [
              { "class": "UITextField", "name": "password", "input": 12, "secure": true, "frame": [16, 120, 361, 44] }
            ] },
            "CartViewController": { "name": "Cart" },
            "PaymentViewController": { "name": "Payment", "section": "payment", "views": [
              { "class": "UIButton", "kind": "button", "name": "pay", "text": "Pay", "frame": [16, 700, 361, 48],
                "responds": true }
            ] }
          },
          "steps": ["launch"]
        }
        """
}
