import ClickstreamCore
import ClickstreamServer
import ClickstreamSimulation
import Testing

@Suite("Events of a visitor, by a client")
struct VisitorClientTests {
    private let site = Site()

    /// Records an event of a visitor, and returns the lines of the events that are recorded by that.
    private func lines(
        of client: ClickstreamClient,
        _ name: String,
        _ attributes: Attributes = [:],
        _ items: [Attributes] = [],
        for visitor: Visitor
    ) -> [String] {
        _ = site.takeLines()
        client.withAccess { access, moment in
            access.record(name, attributes, items, for: visitor, at: moment)
        }
        return site.takeLines()
    }

    @Test("have the visitor's fields instead of those of the device and its user")
    func fields() throws {
        let client = try site.launch()
        client.setUserID("clerk")
        let visitor = Visitor(deviceID: "cookie-1", userID: "carl", screen: "Cart", platform: "Web")
        let lines = lines(of: client, "add_to_cart", ["value": 12.5], [["id": "p-1"]], for: visitor)
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line.contains("\"event_type\":\"add_to_cart\""))
        #expect(line.contains("\"device_id\":\"cookie-1\""))
        #expect(line.contains("\"unique_id\":\"cookie-1\""))
        #expect(line.contains("\"carl\"") && !line.contains("clerk"))
        #expect(line.contains("\"items\":[{\"id\":\"p-1\"}]"))
        #expect(line.contains("\"_screen_name\":\"Cart\""))
        #expect(!line.contains("_session_id") && !line.contains("\"os_version\""))
    }

    private static let visitors = [
        Visitor(deviceID: "d"),
        Visitor(deviceID: "d", userID: "carl", userAttributes: ["plan": "gold"], locale: "de_DE", platform: "Web"),
        Visitor(deviceID: "d", screen: "Home", ip: "::1"),
        Visitor(
            deviceID: "d\"1",
            session: Visitor.Session(id: "s\\", number: 2, start: Timestamp(milliseconds: 1_704_067_199_000)),
            screen: Visitor.Screen(name: "Cart", id: "/cart", uniqueID: "1"),
            userAgent: "agent \"1\""
        ),
    ]

    @Test(
        "are the same as those of a server, which the fast path encodes if no global attribute has a reserved name",
        arguments: visitors,
        [[:], ["source": "mail", "rank": 2], ["_traffic_source_medium": "x", "_ip": "y"]] as [Attributes]
    )
    func paths(visitor: Visitor, globals: Attributes) throws {
        let client = try site.launch()
        client.addGlobalAttributes(globals)
        for attributes in [[:], ["a": 1, "b": "text", "source": "own"]] as [Attributes] {
            let server = Site()
            let events = try server.start { $0.globalAttributes = globals }
            events.record("view", attributes, for: visitor)
            let general = try #require(lines(of: client, "view", attributes, for: visitor).first)
            let fast = try #require(server.takeLines().first)
            #expect(try Self.withoutID(general) == Self.withoutID(fast))
        }
    }

    private static func withoutID(_ line: String) throws -> String {
        let id = try #require(RecordedEvent(json: Array(line.utf8))).id
        return line.replacing("\(id)", with: "")
    }

    @Test("with an invalid name become an error, and are not recorded without a device id or while disabled")
    func refusals() throws {
        let client = try site.launch()
        let errors = lines(of: client, "1st", for: Visitor(deviceID: "cookie-1"))
        #expect(errors.count == 1)
        #expect(errors.first?.contains("\"event_type\":\"_clickstream_error\"") == true)
        #expect(lines(of: client, "first", for: Visitor(deviceID: "")).isEmpty)
        client.disable()
        #expect(lines(of: client, "first", for: Visitor(deviceID: "cookie-1")).isEmpty)
    }
}
