import ClickstreamSimulation
import Testing

@testable import ClickstreamCore

@Suite("EventContext")
struct EventContextTests {
    private static let moment = Moment(wall: Timestamp(milliseconds: 1_693_919_966_703), steady: 0)

    private static func context() -> EventContext {
        EventContext(
            appID: "shop",
            device: ClickstreamClient.Device(platform: "Linux", locale: "en_US"),
            deviceID: "d1",
            user: User(uniqueID: "u1", firstTouch: moment.wall),
            sendsUserAttributes: true,
            session: Session(number: 1, uniqueID: "dc7a7a18", at: moment),
            isActive: true
        )
    }

    private static func line(_ context: EventContext) -> String {
        let event = Event("click", id: SeededIDs(seed: 1).next(), timestamp: moment.wall)
        var line = EventLine()
        context.writer.write(
            event,
            globals: context.globals.attributes,
            verdict: AttributeVerdict(),
            error: nil,
            at: moment,
            into: &line
        )
        return String(decoding: line.json, as: UTF8.self)
    }

    private static let changes: [(text: String, change: @Sendable (inout EventContext) -> Void)] = [
        ("\"device_id\":\"d2\"", { $0.deviceID = "d2" }),
        ("\"locale\":\"nl_NL\"", { $0.take(ClickstreamClient.Device(platform: "Linux", locale: "nl_NL")) }),
        ("\"unique_id\":\"u2\"", { $0.user = User(uniqueID: "u2", firstTouch: moment.wall) }),
        ("\"_session_number\":2", { $0.session = Session(number: 2, uniqueID: "dc7a7a18", at: moment) }),
        ("\"_screen_name\":\"Basket\"", { $0.screen = Screen(name: "Basket") }),
        ("\"channel\":\"shelf\"", { $0.globals.merge(["channel": "shelf"]) }),
    ]

    @Test("a change of a part is in the next event, and counted", arguments: changes.indices)
    func change(row: Int) {
        let (text, change) = Self.changes[row]
        var context = Self.context()
        let revision = context.revision
        #expect(!Self.line(context).contains(text))
        change(&context)
        #expect(Self.line(context).contains(text))
        #expect(context.revision > revision)
    }

    @Test("visibility is a change, though the JSON is the same")
    func activity() {
        var context = Self.context()
        let (line, revision) = (Self.line(context), context.revision)
        context.isActive = false
        #expect(Self.line(context) == line)
        #expect(context.revision > revision)
    }

    @Test("the user of one event is no change, and the current user follows")
    func actingUser() {
        var context = Self.context()
        let (line, revision) = (Self.line(context), context.revision)
        context.actingUser = User(uniqueID: "u2", firstTouch: Self.moment.wall)
        #expect(Self.line(context).contains("\"unique_id\":\"u2\""))
        context.actingUser = nil
        #expect(Self.line(context) == line)
        #expect(context.revision == revision)
    }

    @Test("a device without an identifier keeps the stored one")
    func deviceID() {
        var context = Self.context()
        context.take(ClickstreamClient.Device(platform: "Linux"))
        #expect(context.deviceID == "d1")
        context.take(ClickstreamClient.Device(platform: "Linux", deviceID: "d2"))
        #expect(context.deviceID == "d2")
    }
}
