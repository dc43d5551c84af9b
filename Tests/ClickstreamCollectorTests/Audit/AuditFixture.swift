import ClickstreamCore
import Foundation

@testable import ClickstreamCollector

/// ObjectId with a number.
func objectID(_ number: Int) -> String { String(format: "62b38b3c%016x", number) }

/// An audit event without findings, unless `data` or `more` cause some.
/// - Parameters:
///   - data: the payload; `nil` for null.
///   - more: further members with a comma before each.
func auditEvent(
    _ number: Int,
    _ event: String,
    activity: String = "shop",
    data: String?,
    more: String = #","username":"carl""#
) -> String {
    var text: [UInt8] = []
    if let data { JSONWriter.append(data, to: &text) } else { text = Array("null".utf8) }
    return #"{"_id":"\#(objectID(number))","event":"\#(event)","activity":"\#(activity)","#
        + #""timestamp":"2024-01-31T10:11:12.345Z","data":\#(String(decoding: text, as: UTF8.self))\#(more)}"#
}

/// A read event of document 004.
let readPayload =
    #"{"type":"Person","value":[{"_id":"62b38b3c10846041166f5deb","_partition":"","employeeId":2,"name":"Anthony","#
    + #""userId":null}]}"#

/// A write event of document 004.
let writePayload =
    #"{"Person":{"modifications":[{"newValue":{"name":"Tony"},"oldValue":{"_id":"62b38b3c10846041166f5deb","#
    + #""_partition":"","employeeId":2,"name":"Anthony","userId":null}}]}}"#

/// A write event that inserts a row with an id.
func insertion(_ id: Int, into table: String = "product") -> String {
    #"{"\#(table)":{"insertions":[{"id":\#(id),"name":"Shoe"}]}}"#
}
