import ClickstreamCore
import ClickstreamJudges
import ClickstreamPlan
import ClickstreamReplay
import ClickstreamSimulation

/// Two days of a shop's user as the steps of a replay script: visits with screens, searches, purchases, logins, and
/// the gaps between them. The same seed produces the same steps.
struct ShopLife: Sendable {
    /// The user and the device.
    let facts: LaunchFacts
    /// The steps in order.
    let steps: [Step]
    /// The shop's user interface; `nil` without captured formats.
    let pages: [String: ScriptedPage]?
    /// Number of steps that break a rule.
    let invalidSteps: Int
    /// One more event of the app.
    let filler: [Step]

    /// - Parameters:
    ///   - invalid: probability that an event of the app breaks a rule, from 0 to 1.
    ///   - forms: captured formats; with one of them, the user operates the shop's user interface.
    ///   - plan: sampler of the app's events, which replaces those of the shop.
    init(
        appID: String,
        seed: UInt64,
        invalid: Double,
        forms: Set<CapturedFormat> = [],
        plan: PlanSampler? = nil
    ) {
        var builder = Builder(numbers: Numbers(seed: seed), invalid: invalid, hasInterface: !forms.isEmpty, plan: plan)
        var facts = builder.facts(appID: appID)
        if !forms.isEmpty { facts.capture = ShopInterface.capture(forms) }
        self.facts = facts
        pages = forms.isEmpty ? nil : ShopInterface.pages
        builder.build()
        steps = builder.steps.map { Step($0) }
        invalidSteps = builder.invalidSteps
        filler = builder.filler()
    }

    /// Total duration in virtual milliseconds.
    var span: Int64 { Script(steps: steps).wallSpan }

    /// Random numbers that follow from a seed.
    struct Numbers: RandomNumberGenerator {
        private let ids: SeededIDs

        init(seed: UInt64) {
            ids = SeededIDs(seed: seed)
        }

        mutating func next() -> UInt64 { ids.random() }
    }
}

/// Builds the steps one by one.
private struct Builder {
    private struct Product {
        var id: String
        var name: String
        var category: String
        var cents: Int

        var price: Double { Double(cents) / 100 }

        var attributes: Attributes { ["category": category, "value": price, "currency": "USD"] }

        var item: Attributes {
            ["id": id, "name": name, "category": category, "price": price, "quantity": 1]
        }
    }

    private static let products = [
        Product(id: "sku-101", name: "Trail runner", category: "shoes", cents: 9_990),
        Product(id: "sku-102", name: "City sneaker", category: "shoes", cents: 7_450),
        Product(id: "sku-201", name: "Rain jacket", category: "jackets", cents: 12_900),
        Product(id: "sku-202", name: "Down vest", category: "jackets", cents: 8_925),
        Product(id: "sku-301", name: "Wool socks", category: "accessories", cents: 1_250),
        Product(id: "sku-302", name: "Bottle", category: "accessories", cents: 1_999),
        Product(id: "sku-401", name: "Tent for two", category: "outdoor", cents: 24_900),
    ]
    private static let searches = ["running shoes", "jacket", "tent", "gift", "sale", "socks"]

    private var numbers: ShopLife.Numbers
    private let invalid: Double
    /// True if the user operates the user interface.
    private let hasInterface: Bool
    private let plan: PlanSampler?
    private var cart: [Product] = []
    private var isLoggedIn = false
    private let user: Int

    private(set) var steps: [Step.Action] = []
    private(set) var invalidSteps = 0

    init(numbers: ShopLife.Numbers, invalid: Double, hasInterface: Bool, plan: PlanSampler?) {
        var numbers = numbers
        self.plan = plan
        self.hasInterface = hasInterface
        user = Int.random(in: 1_000..<10_000, using: &numbers)
        self.numbers = numbers
        self.invalid = invalid
    }

    mutating func facts(appID: String) -> LaunchFacts {
        let devices = [
            ("iOS", "17.4", "apple", "iPhone 15", "WIFI", 1_179, 2_556),
            ("iOS", "16.6", "apple", "iPhone 12", "Mobile", 1_170, 2_532),
            ("Android", "14", "google", "Pixel 8", "WIFI", 1_080, 2_400),
            ("Android", "13", "samsung", "SM-G991B", "Mobile", 1_080, 2_400),
        ]
        let regions = [("en_US", "en", "US"), ("de_DE", "de", "DE"), ("zh_CN", "zh", "CN"), ("pt_BR", "pt", "BR")]
        let (platform, version, make, model, network, width, height) = pick(devices)
        let (locale, language, country) = pick(regions)
        var device = DeviceFacts()
        (device.platform, device.osVersion, device.make, device.brand) = (platform, version, make, make)
        (device.model, device.networkType, device.screenWidth, device.screenHeight) = (model, network, width, height)
        (device.locale, device.language, device.country) = (locale, language, country)
        return LaunchFacts(
            app: AppFacts(package: "com.example.shop", title: "Shop", version: chance(0.7) ? "2.4.0" : "2.3.1"),
            device: device,
            configuration: [
                ConfigurationEntry("appId", .text(appID)),
                // A minute instead of ten seconds, so that a request contains more than three events.
                ConfigurationEntry("autoFlushEventsInterval", .integer(60_000)),
                // Bounds the events kept for an unreachable server.
                ConfigurationEntry("maxStoreBytes", .integer(1_048_576)),
            ]
        )
    }

    mutating func build() {
        steps = [.launch(LaunchFacts()), .foreground]
        if let plan {
            prepareProcess(plan)
            let attributes = plan.user(using: &numbers)
            steps.append(.userID("user-\(user)"))
            if !attributes.isEmpty { steps.append(.addUserAttributes(attributes)) }
        }
        let visits = Int.random(in: 2...5, using: &numbers)
        for visit in 1...visits {
            recordVisit()
            steps.append(.background)
            guard visit < visits else { break }
            if chance(0.3) {
                // Back within the session's half hour.
                wait(10...1_500)
            } else {
                wait(2_000...32_000)
                if chance(0.4) {
                    steps += [.terminate, .launch(LaunchFacts())]
                    if let plan { prepareProcess(plan) }
                }
            }
            steps.append(.foreground)
        }
        steps.append(chance(0.2) ? .kill : .terminate)
    }

    /// Sets the planned global attributes, which a process loses at its end.
    private mutating func prepareProcess(_ plan: PlanSampler) {
        let globals = plan.globals(using: &numbers)
        if !globals.isEmpty { steps.append(.addGlobalAttributes(globals)) }
    }

    /// Every planned event once, in random order.
    private mutating func recordVisit(by plan: PlanSampler) {
        for index in (0..<plan.count).shuffled(using: &numbers) {
            if chance(0.3) { screen("Screen \(index + 1)") }
            wait(1...20)
            let event = plan.event(index, using: &numbers)
            record(event.name, event.attributes, event.items)
        }
        wait(1...10)
    }

    /// One event, which does not depend on earlier steps.
    mutating func filler() -> [Step] {
        guard let plan, plan.count > 0 else {
            return [Step(.wait(1_000)), Step(.record(name: "scroll", attributes: ["depth": 50], items: []))]
        }
        let globals = plan.globals(using: &numbers)
        let event = plan.event(Int.random(in: 0..<plan.count, using: &numbers), using: &numbers)
        return (globals.isEmpty ? [] : [Step(.addGlobalAttributes(globals))])
            + [
                Step(.wait(1_000)),
                Step(.record(name: event.name, attributes: event.attributes, items: event.items)),
            ]
    }

    private mutating func recordVisit() {
        screen("Home")
        wait(2...15)
        if let plan { return recordVisit(by: plan) }
        if hasInterface { browse() }
        if chance(0.3) { record("banner_click", ["banner": pick(["spring", "sale", "new"]), "position": 1]) }
        if chance(0.4) {
            screen("Search")
            wait(3...20)
            record(
                "search",
                ["search_term": pick(Self.searches), "results": Int64.random(in: 0...60, using: &numbers)]
            )
        }
        for _ in 0..<Int.random(in: 1...5, using: &numbers) { recordProduct(pick(Self.products)) }
        if !isLoggedIn, chance(0.3) { recordLogin() }
        if !cart.isEmpty, chance(0.5) { recordPurchase() }
        if isLoggedIn, chance(0.1) {
            record("logout", [:])
            steps.append(.userID(nil))
            isLoggedIn = false
        }
        wait(1...10)
    }

    private mutating func recordProduct(_ product: Product) {
        if hasInterface {
            steps += ShopInterface.openProduct(photo: pick([.flick, .zoom, .press]))
        } else {
            steps.append(.screen(name: "Product", id: "Shop/Product", uniqueID: product.id))
        }
        wait(2...45)
        record("view_item", product.attributes, [product.item])
        guard chance(0.35) else { return }
        wait(1...10)
        if hasInterface { steps += ShopInterface.press("add_to_cart") }
        cart.append(product)
        record("add_to_cart", product.attributes, [product.item])
    }

    private mutating func recordLogin() {
        screen("Login")
        wait(5...30)
        record("login", ["method": pick(["password", "apple", "google"])])
        steps += [
            .userID("user-\(user)"),
            .addUserAttributes(["tier": pick(["basic", "plus"]), "newsletter": chance(0.5)]),
        ]
        isLoggedIn = true
    }

    private mutating func recordPurchase() {
        screen("Cart")
        wait(3...20)
        let value = Double(cart.reduce(0) { $0 + $1.cents }) / 100
        record("begin_checkout", ["value": value, "currency": "USD", "count": Int64(cart.count)])
        screen("Payment")
        wait(10...60)
        if hasInterface { steps += ShopInterface.press("pay") }
        guard chance(0.8) else { return record("payment_failed", ["reason": "declined"]) }
        if hasInterface {
            let id = "T-\(Int.random(in: 1...999_999, using: &numbers))"
            steps += ShopInterface.pay(value, items: cart.count, id: id)
        }
        record(
            "purchase",
            [
                "value": value, "currency": "USD", "payment": pick(["card", "wallet"]),
                "coupon": chance(0.2),
            ],
            cart.map(\.item)
        )
        cart = []
    }

    /// Scrolls the list of products, and taps the banner.
    private mutating func browse() {
        let offset = Double(Int.random(in: 1...6, using: &numbers)) * 80
        steps += ShopInterface.browse(to: offset, inMilliseconds: Int64.random(in: 160...640, using: &numbers))
        wait(3...8)
        if chance(0.4) { steps += ShopInterface.press("banner") }
    }

    // MARK: - Single steps

    private mutating func screen(_ name: String) {
        if hasInterface { return steps.append(.input(.show(page: ShopInterface.page(name)))) }
        steps.append(.screen(name: name, id: "Shop/\(name)", uniqueID: nil))
    }

    private mutating func wait(_ seconds: ClosedRange<Int64>) {
        steps.append(
            .wait(Int64.random(in: (seconds.lowerBound * 1_000)...(seconds.upperBound * 1_000), using: &numbers))
        )
    }

    /// An event of the app, sometimes with a typical mistake.
    private mutating func record(_ name: String, _ attributes: Attributes, _ items: [Attributes] = []) {
        var (name, attributes, items) = (name, attributes, items)
        if chance(invalid) {
            invalidSteps += 1
            switch Int.random(in: 0..<5, using: &numbers) {
            case 0: name = name + "-button"
            case 1: attributes.set("1st_price", to: 9.9)
            case 2: attributes.set("note", to: .string(String(repeating: "x", count: 1_025)))
            case 3: attributes.set("ratio", to: .double(.infinity))
            default: items.append(["name": "An item without an id"])
            }
        }
        steps.append(.record(name: name, attributes: attributes, items: items))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &numbers)]
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &numbers) < probability
    }
}
