import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation

/// `generate --server`: visitors of a web shop, whose events one process records.
extension GenerateRun {
    /// Records the visitors' events with ``ServerEvents``, as fast as the rate allows, until enough are recorded.
    func serve(transport: WireTransport?, endpoint: String?) async throws {
        var configuration = ClickstreamClient.Configuration(appID: command.appID, endpoint: endpoint ?? "")
        configuration.sendInterval = .seconds(1)
        let tally = tally
        let seed = SeededIDs.seed(command.seed, appID: command.appID)
        // A dry run has a clock of its own: the same seed gives the same lines.
        let start = Timestamp(CivilTime(year: 2024, month: 1, day: 1))
        let time: any TimeSource = transport == nil ? VirtualTime(start: start) : SystemDependencies.time
        let events = try ServerEvents(
            in: ClickstreamClient.World(
                configuration: configuration,
                device: ClickstreamClient.Device(platform: "Linux"),
                storage: "/generate",
                dependencies: ClickstreamClient.Dependencies(
                    time: time,
                    ids: SeededIDs(seed: seed),
                    files: MemoryFileSystem(),
                    transport: transport
                ),
                observe: { tally.take($0) }
            ),
            sessions: SessionTable(capacity: 100_000)
        )
        var traffic = SiteTraffic(users: command.users, seed: seed, invalid: command.invalid)
        let begin = time.now()
        var steps: Int64 = 0
        // The first event of a visitor starts a session, which is an event too.
        while true {
            let reserved = tally.reserve(2) ? 2 : 1
            guard reserved == 2 || tally.reserve(1) else { break }
            defer { tally.release(reserved) }
            try Task.checkCancellation()
            var now = time.now()
            if transport == nil { now.wall.milliseconds += steps * 1_000 }
            steps += 1
            if let longest = command.longest, transport != nil, now.steady - begin.steady >= longest { break }
            try tally.checkWriting()
            traffic.next(isLast: reserved == 1, at: now.wall) { name, attributes, items, visitor in
                events.record(name, attributes, items, for: visitor, at: now.wall)
            }
            if transport != nil { try await pace() }
        }
        guard transport != nil else { return events.terminate() }
        var report: FlushReport
        repeat {
            report = await events.flush(deadline: .milliseconds(Self.timeout))
        } while report.sent > 0 && !report.isComplete && !Task.isCancelled
        _ = await events.shutdown(deadline: .milliseconds(Self.timeout))
    }
}

/// Visits of a web shop, in an order that depends on the seed alone.
struct SiteTraffic {
    private static let pages = ["Home", "Search", "Product", "Cart", "Checkout"]
    private var numbers: ShopLife.Numbers
    private let invalid: Double
    private var visitors: [Visitor]
    /// The visitors that have a session.
    private var started: Set<Int> = []

    init(users: Int, seed: UInt64, invalid: Double) {
        numbers = ShopLife.Numbers(seed: seed)
        self.invalid = invalid
        visitors = (0..<users).map { number in
            let locale = number % 3 == 0 ? "de_DE" : "en_US"
            var visitor = Visitor(deviceID: "visitor-\(seed)-\(number)", locale: locale, platform: "Web")
            if number % 4 == 0 {
                visitor.userID = "user-\(number)"
                visitor.userAttributes = ["_user_name": "User \(number)"]
            }
            return visitor
        }
    }

    /// Passes the next event to `record`.
    /// - Parameter isLast: true for an event that starts no session.
    mutating func next(
        isLast: Bool,
        at time: Timestamp,
        _ record: (String, Attributes, [Attributes], Visitor) -> Void
    ) {
        let index = Int.random(in: visitors.indices, using: &numbers)
        let page = Self.pages[Int.random(in: Self.pages.indices, using: &numbers)]
        visitors[index].screen = Visitor.Screen(name: page)
        var visitor = visitors[index]
        if isLast, !started.contains(index) {
            visitor.session = Visitor.Session(deviceID: visitor.deviceID, number: 1, start: time)
        } else {
            started.insert(index)
        }
        let item: Attributes = ["id": "\(Int.random(in: 1...50, using: &numbers))", "price": 9.5]
        if Double.random(in: 0..<1, using: &numbers) < invalid { return record("2nd click", [:], [], visitor) }
        switch page {
        case "Search": record("search", ["term": "shoes"], [], visitor)
        case "Product": record("view_item", [:], [item], visitor)
        case "Cart": record("add_to_cart", ["quantity": 1], [item], visitor)
        case "Checkout": record("purchase", ["total": 9.5], [item], visitor)
        default: record(EventName.screenView, ["_screen_name": page], [], visitor)
        }
    }
}
