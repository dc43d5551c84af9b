import Testing

@testable import ClickstreamCore

@Suite("Events of a visitor, by a client")
struct VisitorClientTests {
    @Test("have the visitor's fields instead of those of the device and its user")
    func fields() throws {
        let phone = Phone()
        let client = try phone.launch()
        client.setUserID("clerk")
        let visitor = Visitor(deviceID: "cookie-1", userID: "carl", screen: "Cart", platform: "Web")
        client.perform { recorder, moment in
            recorder.record("add_to_cart", ["value": 12.5], [["id": "p-1"]], for: visitor, at: moment)
        }
        let event = try #require(phone.records().last?.event)
        #expect(event.text.contains("\"event_type\":\"add_to_cart\""))
        #expect(event.text.contains("\"device_id\":\"cookie-1\""))
        #expect(event.text.contains("\"unique_id\":\"cookie-1\""))
        #expect(event.text.contains("\"carl\"") && !event.text.contains("clerk"))
        #expect(event.text.contains("\"_screen_name\":\"Cart\""))
        #expect(!event.text.contains("_session_id") && !event.text.contains("\"os_version\""))
    }

    @Test("with an invalid name become an error, and are not recorded without a device id or while disabled")
    func refusals() throws {
        let phone = Phone()
        let client = try phone.launch()
        let count = phone.records().count
        func record(_ name: String, _ deviceID: String) {
            client.perform { recorder, moment in
                recorder.record(name, [:], [], for: Visitor(deviceID: deviceID), at: moment)
            }
        }
        record("1st", "cookie-1")
        #expect(phone.records().count == count + 1)
        #expect(phone.records().last?.event.text.contains("\"event_type\":\"_clickstream_error\"") == true)
        record("first", "")
        #expect(phone.records().count == count + 1)
        client.disable()
        record("first", "cookie-1")
        #expect(phone.records().filter { $0.event.text.contains("\"first\"") }.isEmpty)
    }
}
