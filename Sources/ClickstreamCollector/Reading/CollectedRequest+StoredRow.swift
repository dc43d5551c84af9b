#if Tools
import ClickstreamCore

extension CollectedRequest {
    /// The request as the published server's sinks hand it on: one line of JSON, without its end.
    var storedRow: [UInt8] {
        let time = receivedAt.description
        let seconds = receivedAt.milliseconds / 1_000
        var row: [UInt8] = []
        row.reserveCapacity(1_024 + (data?.utf8.count ?? 0) * 9 / 8)

        func begin(_ name: String) {
            row.append(row.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            JSONWriter.append(name, to: &row)
            row.append(UInt8(ascii: ":"))
        }
        func add(_ name: String, _ text: String?) {
            begin(name)
            if let text { JSONWriter.append(text, to: &row) } else { JSONWriter.appendNull(to: &row) }
        }
        func add(_ name: String, _ number: Int64) {
            begin(name)
            JSONWriter.append(number, to: &row)
        }

        add("appId", appID)
        if let uploadTimestamp { add("client_timestamp", uploadTimestamp) }
        add("compression", compression)
        add("data", data ?? "")
        add("date", time.prefix(19) + "+00:00")
        add("fakeIp", fakeIP)
        add("ingest_time", seconds * 1_000)
        add("ip", ip)
        add("method", method)
        add("path", path)
        add("platform", platform)
        add("rid", id)
        add("server_ingest_time", seconds * 1_000)
        add("source_type", "http_server")
        add("timestamp", time)
        add("ua", userAgent)
        add("uri", uri)
        row.append(UInt8(ascii: "}"))
        return row
    }
}
#endif
