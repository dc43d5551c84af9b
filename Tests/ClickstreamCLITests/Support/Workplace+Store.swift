import ClickstreamCore
import Foundation

extension Workplace {
    /// Events in a store's segments, in the order of the files: run by run, including settled ones.
    func storedEvents(in store: String) throws -> [JSONValue] {
        try contents(of: store).filter { $0.hasSuffix(".events") }.flatMap { path in
            // After the last line feed is the record that a killed process did not complete.
            try text(of: "\(store)/\(path)").split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
                line in
                try JSONReader.parse(Array(line.split(separator: " ", maxSplits: 3)[3].utf8))
            }
        }
    }
}

extension JSONValue {
    /// An event's own attributes: those that do not begin with an underscore.
    var ownAttributes: [String: JSONValue] {
        Dictionary(
            (self["attributes"]?.members ?? []).filter { !$0.name.hasPrefix("_") }.map { ($0.name, $0.value) },
            uniquingKeysWith: { $1 }
        )
    }

    var eventName: String? { self["event_type"]?.string }
    var eventID: String? { self["event_id"]?.string }
}
