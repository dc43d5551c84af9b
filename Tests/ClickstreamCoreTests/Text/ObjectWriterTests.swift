import ClickstreamCore
import Testing

@Suite("Object writer")
struct ObjectWriterTests {
    @Test("separates members and elements, also after containers")
    func separation() {
        var writer = ObjectWriter()
        writer.object { object in
            object.object("empty") { _ in }
            object.array("none", of: [String]()) { $0.element($1) }
            object.object("o") { inner in
                inner.member("a", 1)
                inner.object(named: "b\"") { $0.member("c", true) }
                inner.member("d", 1.5)
            }
            object.array("list", of: ["[", "{"]) { $0.element($1) }
            object.array("objects", of: [1, 2]) { list, number in list.object { $0.member("n", number) } }
            object.member("raw", json: Array("[1]".utf8))
            object.member("last", "{")
        }
        let expected =
            #"{"empty":{},"none":[],"o":{"a":1,"b\"":{"c":true},"d":1.5},"list":["[","{"],"#
            + #""objects":[{"n":1},{"n":2}],"raw":[1],"last":"{"}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test("omits a member without a value, or writes null")
    func absent() {
        var writer = ObjectWriter()
        writer.object { object in
            object.member("a", String?.none)
            object.member("b", orNull: String?.none)
            object.member("c", orNull: Int64?.none)
            object.member("d", orNull: "e")
            object.member("f", orNull: 7)
            object.null("g")
        }
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"b":null,"c":null,"d":"e","f":7,"g":null}"#)
    }

    @Test("continues an object whose text was taken away")
    func parts() {
        var writer = ObjectWriter()
        writer.beginObject()
        writer.begin("text")
        let before = writer.bytes
        writer.bytes = []
        writer.member("a", 1)
        writer.beginArray("list")
        let middle = writer.bytes
        writer.bytes = []
        writer.element("b")
        writer.endArray()
        writer.endObject()
        let parts = [before, Array("5".utf8), middle, writer.bytes].map { String(decoding: $0, as: UTF8.self) }
        #expect(parts == [#"{"text":"#, "5", #","a":1,"list":["#, #""b"]}"#])
    }
}
