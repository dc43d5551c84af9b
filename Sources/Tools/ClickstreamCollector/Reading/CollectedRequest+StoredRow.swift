import ClickstreamCore

extension CollectedRequest {
    /// Request in the format of the published server's sinks: one line of JSON, without the line end.
    var storedRow: [UInt8] {
        let time = receivedAt.description
        let seconds = receivedAt.milliseconds / 1_000
        var row: [UInt8] = []
        row.reserveCapacity(1_024 + (data?.utf8.count ?? 0) * 9 / 8)

        var object = JSONObjectWriter(&row)
        object.add("appId", appID, &row)
        if let uploadTimestamp { object.add("client_timestamp", uploadTimestamp, &row) }
        object.add("compression", compression, &row)
        object.add("data", data ?? "", &row)
        object.add("date", time.prefix(19) + "+00:00", &row)
        object.add("fakeIp", fakeIP, &row)
        object.add("ingest_time", seconds * 1_000, &row)
        object.add("ip", ip, &row)
        object.add("method", method, &row)
        object.add("path", path, &row)
        object.add("platform", platform, &row)
        object.add("rid", id, &row)
        object.add("server_ingest_time", seconds * 1_000, &row)
        object.add("source_type", "http_server", &row)
        object.add("timestamp", time, &row)
        object.add("ua", userAgent, &row)
        object.add("uri", uri, &row)
        object.end(&row)
        return row
    }
}
