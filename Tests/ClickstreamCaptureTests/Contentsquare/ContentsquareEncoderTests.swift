import ClickstreamCapture
import ClickstreamCore
import Testing

/// Deviations of the encoder from the examples of document 002. All other keys and values are the document's.
///
/// | document | here | source |
/// |---|---|---|
/// | `app-and://…` | `app-<platform>://…`, such as `app-ios` | contract |
/// | `title=screeName` beside `st:"title"` | both have the name of the screen | the document's text |
/// | `euid:"uid"` | a UUID | the comment: event UUID |
/// | `c:3` beside a carrier | 4: generations of mobile networks are not distinguished | contract |
/// | `tvp:"[root]>view#id>view2>"` | a target of the section on reliable targets | that section |
/// | drag with `tvv:100`, flick with more than 100 | a flick from 100 on | contract |
@Suite("Contentsquare encoder")
struct ContentsquareEncoderTests {
    private static let id = UniqueID(high: 0xAC15_29A7_59F6_49D9, low: 0xB254_6F0A_22F5_7284)

    /// The common part of document 002 with 4 screens before the current one.
    private static let common = """
        {"upt":1522,"euid":"AC1529A7-59F6-49D9-B254-6F0A22F57284",\
        "url":"app-ios://identifier/mainPath/secondaryPath?title=title","scn":4,"c":4,"ci":"verizon","o":1,\
        "vo":{"sv":"0.2.0","sb":1,"av":"appVersion","af":"release","ab":1},"sn":1,"t":12894726459435
        """

    private let moment = Moment(wall: Timestamp(milliseconds: 12_894_726_459_435), steady: 1_522)
    private let screen = ContentsquareScreen(name: "title", className: "mainPath/secondaryPath")

    private func context(
        session: Int = 1,
        device: (inout ClickstreamClient.Device) -> Void = { _ in }
    ) -> ContentsquareContext {
        var facts = ClickstreamClient.Device(
            platform: "iOS",
            carrier: "verizon",
            networkType: "Mobile",
            screenWidth: 1_920,
            screenHeight: 1_080,
            app: ClickstreamClient.Device.App(version: "appVersion")
        )
        device(&facts)
        return ContentsquareContext(
            appID: "identifier",
            device: facts,
            session: Session(number: session, uniqueID: "dc7a7a18", at: .at(0))
        )
    }

    /// An encoder after screens at 0, 1, … ms.
    private func encoder(screens: Int) -> ContentsquareEncoder {
        var encoder = ContentsquareEncoder()
        for number in 0..<screens {
            _ = encoder.encode(
                .screen(screen, CustomVariables()),
                id: Self.id,
                at: .at(Int64(number)),
                in: context()
            )
        }
        return encoder
    }

    private func text(
        _ action: ContentsquareAction,
        screens: Int = 5,
        context: ContentsquareContext? = nil
    ) -> String {
        var encoder = encoder(screens: screens)
        return String(
            decoding: encoder.encode(action, id: Self.id, at: moment, in: context ?? self.context()),
            as: UTF8.self
        )
    }

    private static func gesture(_ kind: TouchGesture.Kind) -> TouchGesture {
        TouchGesture(
            kind: kind,
            start: Capture.Point(x: 0, y: 0),
            distance: 100.9,
            velocity: 100.9,
            direction: .left,
            duration: 1_000
        )
    }

    private static let button = Target(
        path: "[root]>UIView[ri:Page.id]>UIView:eq(0)",
        id: "btn_ok",
        isResponsive: true
    )

    private static func touch(_ kind: TouchGesture.Kind) -> ContentsquareAction { .touch(gesture(kind), button) }

    private static let target = #""tvp":"[root]>UIView[ri:Page.id]>UIView:eq(0)","tvid":"btn_ok""#

    @Test(
        "writes the events of the document, key by key",
        arguments: [
            (.start, #""ea":0"#), (.show, #""ea":1"#), (.hide, #""ea":2"#),
            (touch(.tap), #""ea":6,"# + target + #","ur":true"#),
            (touch(.longPress), #""ea":8,"# + target),
            (touch(.drag), #""ea":9,"# + target + #","fd":3,"tvd":100,"tvv":100"#),
            (touch(.flick), #""ea":10,"# + target + #","fd":3,"tvd":100,"tvv":100"#),
            (.variable(DynamicVariable(key: "key", value: .text("value"))), #""ea":18,"k":"key","v":"value""#),
            (.variable(DynamicVariable(key: "key", value: .integer(2_344))), #""ea":19,"k":"key","v":2344"#),
        ] as [(ContentsquareAction, String)]
    )
    func document(action: ContentsquareAction, part: String) {
        #expect(text(action) == Self.common + "," + part + "}")
    }

    @Test("writes the document's screen with its custom variables and load time")
    func screenview() throws {
        let variables = CustomVariables([
            CustomVariable(index: 2, name: "name_1", value: "value_1"),
            CustomVariable(index: 5, name: "name_2", value: "value_2"),
        ])
        let part = #","ea":4,"st":"title","sl":1519"#
        #expect(
            text(.screen(screen, variables), screens: 4)
                == Self.common + part + #","cv":{"2":{"name_1":"value_1"},"5":{"name_2":"value_2"}}}"#
        )
        #expect(text(.screen(screen, CustomVariables()), screens: 4) == Self.common + part + "}")
    }

    @Test("writes the document's transaction, whose id is optional", arguments: ["978", "EUR", "eur"])
    func transaction(currency: String) throws {
        let euros = try #require(Capture.Currency(currency))
        let all = try #require(Capture.Transaction(value: 20, currency: euros, id: "32akjkljklJ575775"))
        let least = try #require(Capture.Transaction(value: 20, currency: euros))
        let part = #","ea":16,"tr":{"vl":20.0,"cu":978"#
        #expect(text(.transaction(all)) == Self.common + part + #","id":"32akjkljklJ575775"}}"#)
        #expect(text(.transaction(least)) == Self.common + part + "}}")
    }

    @Test("rejects currencies without a code, and values without a number")
    func currencies() throws {
        for text in ["", "EU", "EURO", "€", "0", "-1", "1000", "QQQ", "Ǆ"] { #expect(Capture.Currency(text) == nil) }
        #expect(Capture.Currency("JPY")?.code == 392)
        #expect(Capture.Currency("ALL")?.code == 8)
        let dollar = try #require(Capture.Currency("USD"))
        #expect(Capture.Transaction(value: .nan, currency: dollar) == nil)
        #expect(Capture.Transaction(value: .infinity, currency: dollar) == nil)
    }

    @Test("drops the 21st custom variable and repeated indexes with a warning")
    func customVariables() {
        var all = (1...20).map { CustomVariable(index: $0, name: "n\($0)", value: "secret") }
        #expect(CustomVariables(all).warnings == [])
        all.insert(CustomVariable(index: 1, name: "again", value: "secret"), at: 3)
        all.append(CustomVariable(index: 21, name: "beyond", value: "secret"))
        let kept = CustomVariables(all)
        #expect(kept.variables.map(\.name) == (1...20).map { "n\($0)" })
        #expect(
            kept.warnings == [
                .init(.inputIgnored, "The custom variable again is dropped: the index 1 is repeated"),
                .init(.inputIgnored, "The custom variable beyond is dropped: a screen has at most 20"),
            ]
        )
    }

    @Test(
        "has the connectivity and, on a mobile network, the carrier",
        arguments: [
            ("WIFI", true, 1), ("wired", true, 1), ("Mobile", true, 4), ("UNKNOWN", true, 0), ("", true, 0),
            ("UNKNOWN", false, -1), ("Mobile", false, -1),
        ]
    )
    func connectivity(type: String, isOnline: Bool, code: Int64) throws {
        var context = context { $0.networkType = type }
        context.isOnline = isOnline
        let event = try JSONReader.parse(Array(text(.show, context: context).utf8))
        #expect(event["c"]?.number?.integer == code)
        #expect(event["ci"]?.string == (code == 4 ? "verizon" : nil))
    }

    @Test("has no carrier if it is unknown")
    func carrier() {
        #expect(!text(.show, context: context { $0.carrier = "UNKNOWN" }).contains(#""ci""#))
    }

    @Test(
        "is in portrait unless the screen is wider than high",
        arguments: [(2, 1, 1), (1, 1, 0), (1, 2, 0), (0, 0, 0)]
    )
    func orientation(width: Int, height: Int, code: Int) {
        let device = context {
            $0.screenWidth = width
            $0.screenHeight = height
        }
        #expect(text(.show, context: device).contains(#","o":\#(code),"vo""#))
    }

    @Test("percent-encodes the title of the URL; before the first screen there is none")
    func url() throws {
        #expect(text(.start, screens: 0).contains(#""url":"app-ios://identifier/?title=","scn":0,"#))
        let screen = ContentsquareScreen(name: "Über & so?", className: "HomeViewController")
        #expect(
            text(.screen(screen, CustomVariables()))
                .contains(#""url":"app-ios://identifier/HomeViewController?title=%C3%9Cber%20%26%20so%3F","#)
        )
    }

    @Test("counts the screens of each session from 0")
    func screenNumbers() throws {
        var encoder = ContentsquareEncoder()
        let view = ContentsquareAction.screen(screen, CustomVariables())
        let steps: [(ContentsquareAction, session: Int, scn: Int64)] = [
            (.start, 1, 0), (view, 1, 0), (Self.touch(.tap), 1, 0), (view, 1, 1), (.hide, 1, 1), (.show, 2, 0),
            (view, 2, 0), (view, 2, 1),
        ]
        for (action, session, number) in steps {
            let line = encoder.encode(action, id: Self.id, at: moment, in: context(session: session))
            let event = try JSONReader.parse(line)
            #expect(event["scn"]?.number?.integer == number)
            #expect(event["sn"]?.number?.integer == Int64(session))
        }
    }

    @Test("measures the load time of a screen since the last touch gesture, click or screen")
    func loadTime() throws {
        var encoder = ContentsquareEncoder()
        func load(_ time: Int64) throws -> Int64? {
            let line = encoder.encode(
                .screen(screen, CustomVariables()),
                id: Self.id,
                at: .at(time),
                in: context()
            )
            return try JSONReader.parse(line)["sl"]?.number?.integer
        }
        func write(_ action: ContentsquareAction, _ time: Int64) {
            _ = encoder.encode(action, id: Self.id, at: .at(time), in: context())
        }
        write(.start, 1)
        #expect(try load(5) == 0)
        #expect(try load(25) == 20)
        write(Self.touch(.tap), 30)
        #expect(try load(37) == 7)
        let click = encoder.encode(captured(.click, at: 40), in: context())
        #expect(click == nil)
        write(.variable(DynamicVariable(key: "k", value: .integer(1))), 50)
        write(.hide, 60)
        #expect(try load(70) == 30)
    }

    private func captured(_ content: CapturedEvent.Content, at time: Int64) -> CapturedEvent {
        CapturedEvent(
            id: Self.id,
            time: .at(time),
            isInBackground: false,
            content: content,
            element: nil,
            parent: nil,
            context: PageContext(),
            group: nil,
            section: nil,
            properties: [:],
            ids: [:]
        )
    }

    @Test("writes captured touch gestures, and no other captured event")
    func capturedEvents() throws {
        var encoder = encoder(screens: 5)
        var event = captured(.touch(Self.gesture(.flick), Self.button), at: 0)
        event.time = moment
        let encoded = encoder.encode(event, in: context())
        let line = try #require(encoded)
        #expect(String(decoding: line, as: UTF8.self) == text(Self.touch(.flick)))
        let unclassified = CapturedEvent.Content.touch(Self.gesture(.unclassified), Self.button)
        let others: [CapturedEvent.Content] = [
            .pageLoad, .pageView(sequence: 1), .click, .impressions([], data: [:]),
        ]
        for content in others + [unclassified] {
            let line = encoder.encode(captured(content, at: 1), in: context())
            #expect(line == nil)
        }
    }
}
