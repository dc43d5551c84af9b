import ClickstreamCapture
import ClickstreamCore
import Testing

@Suite("PulseEncoder")
struct PulseEncoderTests {
    private let encoder = PulseEncoder(connection: .wifi)

    private func event(
        _ content: CapturedEvent.Content,
        element: CapturedElement? = nil,
        path: [PageContext.Entry] = []
    ) -> CapturedEvent {
        CapturedEvent(
            id: UniqueID(high: 0xAB, low: 0xCD),
            time: .at(5),
            isInBackground: true,
            content: content,
            element: element,
            parent: nil,
            context: PageContext(path: path),
            group: nil,
            section: nil,
            properties: [:],
            ids: [:]
        )
    }

    private func json(_ event: CapturedEvent) throws -> JSONValue {
        try JSONReader.parse(#require(encoder.encode(event)))
    }

    // MARK: Examples

    @Test("reproduces the document's examples, except for the differences in the table", arguments: PulseExample.all)
    func examples(example: PulseExample) throws {
        let encoder = PulseEncoder(connection: .wifi, previousEvents: try example.previousEvents())
        let line = try #require(encoder.encode(example.event()))
        let encoded = JSONOutline(try JSONReader.parse(line))
        #expect(encoded.scalars == (try example.expected()))
        let document = JSONOutline(try example.json())
        #expect(document.reordered(encoded) == example.reordered)
        let changed = document.keys.filter { path, keys in Set(encoded.keys[path] ?? []) != Set(keys) }
        let hasOtherKeys = example.path.contains { $0.key != $0.example }
        #expect(Set(changed.keys) == (hasOtherKeys ? ["sub_sids"] : []))
    }

    @Test("reproduces the example of a localized string")
    func localized() throws {
        let example = try JSONReader.parse(Array("{\(PulseExamples.localized)}".utf8))
        let element = CapturedElement(
            className: "UIButton",
            type: .button,
            value: "Speichern",
            localizedKey: "universal.save"
        )
        let encoded = try #require(json(event(.click, element: element))["data"]?["element"])
        #expect(try JSONOutline(encoded).scalars == JSONOutline(#require(example["element"])).scalars)
    }

    // MARK: Parts of events

    @Test("writes every optional part of an event, in order and escaped")
    func complete() throws {
        var event = event(
            .click,
            element: CapturedElement(
                className: "UIButton",
                type: .barButton,
                name: "login_button_signup",
                value: "\"Ja\"\n",
                inputLength: 5,
                localizedKey: "yes",
                accessibilityID: "yes_button"
            ),
            path: [.init(key: "\"Home\"", id: UniqueID(high: 1, low: 2))]
        )
        event.parent = PageReference(className: "A", name: "b", accessibilityID: "c")
        event.group = "g"
        event.section = "s"
        event.properties = ["username": "john-doe", "rate": Double.infinity, "count": 2]
        event.ids = ["sid": "e0182f1b-41e4-41aa-a30a-f19cfce0bd39"]
        let encoded = try #require(encoder.encode(event))
        #expect(
            String(decoding: encoded, as: UTF8.self)
                == """
                {"event_type":"click","event_id":"00000000-0000-00AB-0000-0000000000CD","timestamp":1000005,\
                "is_background":true,"sub_sids":{"\\"Home\\"":"00000000-0000-0001-0000-000000000002"},"data":{\
                "metadata":{"auto_generated":true,"event_id_source":"sdk"},"connection_type":"WIFI",\
                "element":{"id":"login_button_signup","type":"bar_button","value":"\\"Ja\\"\\n",\
                "localized_key":"yes","accessibility_id":"yes_button"},\
                "parent_info":{"class":"A","id":"b","accessibility_id":"c"},"previous_events":[],"sources_info":[],\
                "additional_properties":{"username":"john-doe","rate":null,"count":2},\
                "additional_ids":{"sid":"e0182f1b-41e4-41aa-a30a-f19cfce0bd39"},"group":"g","section":"s"}}
                """
        )
    }

    @Test("omits the optional parts of an event")
    func minimal() throws {
        let encoded = JSONOutline(try json(event(.click)))
        #expect(encoded.keys[""] == ["event_type", "event_id", "timestamp", "is_background", "data"])
        #expect(encoded.keys["data"] == ["metadata", "connection_type", "previous_events", "sources_info"])
    }

    @Test("has no event for touch gestures")
    func touch() {
        let gesture = TouchGesture(
            kind: .tap,
            start: Capture.Point(x: 0, y: 0),
            distance: 0,
            velocity: 0,
            direction: .complex,
            duration: 1
        )
        let target = Target(path: "[root]", id: "", isResponsive: false)
        #expect(encoder.encode(event(.touch(gesture, target))) == nil)
    }

    @Test("has the latest of the page instances with the same key")
    func repeatedKey() throws {
        let path = ["A", "B", "A"].enumerated().map { index, key in
            PageContext.Entry(key: key, id: UniqueID(high: 0, low: UInt64(index)))
        }
        let encoded = try #require(json(event(.click, path: path))["sub_sids"]?.members)
        #expect(encoded.map(\.name) == ["B", "A"])
        #expect(encoded.map(\.value.string) == path[1...].map(\.id.description))
    }

    @Test("writes the title of a page and its accessibility identifier")
    func page() throws {
        let element = CapturedElement(className: "P", type: .controller, value: "Title", accessibilityID: "a")
        let encoded = try #require(json(event(.pageView(sequence: 3), element: element))["data"]?["element"]?.members)
        #expect(encoded.map(\.name) == ["class", "type", "value", "sequence", "accessibility_id"])
    }

    @Test(
        "writes the parameters of every gesture recognizer",
        arguments: [
            (.tap(x: 1, y: -2, fingers: 3), #"{"tap_x":1,"type":"tap","tap_y":-2,"taps_count":3}"#),
            (.longPress(x: 1, y: -2, fingers: 3), #"{"tap_x":1,"type":"long_press","tap_y":-2,"taps_count":3}"#),
            (
                .scale(start: 100, end: 150, change: 50),
                #"{"scale_start":100,"scale_end":150,"scale_value":50,"type":"scale"}"#
            ),
            (
                .rotate(start: 0, end: -90, change: -90),
                #"{"rotate_start":0,"rotate_end":-90,"rotate_value":-90,"type":"rotate"}"#
            ),
            (
                .move(.init(startX: 1, startY: 2, endX: 31, endY: 42, distanceX: 30, distanceY: 40)),
                #"{"move_start_x":1,"move_start_y":2,"move_end_x":31,"move_end_y":42,"#
                    + #""move_distance_x":30,"move_distance_y":40,"type":"move"}"#
            ),
        ] as [(GestureParameters, String)]
    )
    func gestures(gesture: GestureParameters, text: String) throws {
        let encoded = try #require(encoder.encode(event(.gesture(gesture))))
        #expect(String(decoding: encoded, as: UTF8.self).hasSuffix(#""gesture_params":\#(text)}}"#))
    }

    @Test("adds the data of a list and of its items, which replace no member of the format")
    func itemData() throws {
        let item = ItemImpression(
            index: 0,
            start: Timestamp(milliseconds: 7),
            viewTime: 4,
            data: ["view_time": 99, "id": "a", "timestamp": 99]
        )
        let encoded = JSONOutline(
            try json(event(.impressions([item], data: ["element": "x", "sid": "s", "params": 1])))
        )
        #expect(encoded.keys["data.params.a"] == ["id", "timestamp", "view_time"])
        #expect(encoded.scalars["data.params.a.timestamp"]?.integer == 7)
        #expect(encoded.scalars["data.params.a.view_time"]?.integer == 4)
        #expect(
            encoded.keys["data"] == [
                "metadata", "connection_type", "items_count", "params", "previous_events", "sources_info", "sid",
            ]
        )
    }

    // MARK: Revenue

    @Test("writes revenue that an app reports", arguments: RevenueKind.allCases)
    func revenue(kind: RevenueKind) {
        let event = RevenueEvent(
            kind,
            id: UniqueID(high: 1, low: 2),
            time: .at(0),
            isInBackground: false,
            context: PageContext(
                sources: [PageReference(className: "A")],
                path: [.init(key: "A", id: UniqueID(high: 3, low: 4))]
            ),
            properties: ["value": 12.5, "currency": "EUR"]
        )
        let encoder = PulseEncoder(connection: .wifi, previousEvents: [UniqueID(high: 5, low: 6)])
        #expect(
            String(decoding: encoder.encode(event), as: UTF8.self)
                == """
                {"event_type":"revenue_\(kind)","event_id":"00000000-0000-0001-0000-000000000002","timestamp":1000000,\
                "is_background":false,"sub_sids":{"A":"00000000-0000-0003-0000-000000000004"},"data":{\
                "metadata":{"auto_generated":false,"event_id_source":"sdk"},"connection_type":"WIFI",\
                "previous_events":["00000000-0000-0005-0000-000000000006"],"sources_info":[{"class":"A"}],\
                "additional_properties":{"value":12.5,"currency":"EUR"}}}
                """
        )
    }

    // MARK: Connection

    @Test(
        "derives the connection from the device",
        arguments: [
            ("WIFI", true, "WIFI"), ("Mobile", true, "MOBILE"), ("UNKNOWN", true, "UNKNOWN"), ("", true, "UNKNOWN"),
            ("WIFI", false, "NONE"), ("UNKNOWN", false, "NONE"),
        ]
    )
    func connection(networkType: String, isOnline: Bool, expected: String) throws {
        var device = ClickstreamClient.Device(platform: "Linux")
        device.networkType = networkType
        let encoder = PulseEncoder(connection: PulseConnection(device, isOnline: isOnline))
        let encoded = try JSONReader.parse(#require(encoder.encode(event(.click))))
        #expect(encoded["data"]?["connection_type"]?.string == expected)
    }
}
