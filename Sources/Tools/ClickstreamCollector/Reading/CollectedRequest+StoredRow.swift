import ClickstreamCore

extension CollectedRequest {
    /// Request in the format of the published server's sinks: one line of JSON, without the line end.
    var storedRow: [UInt8] {
        let time = receivedAt.description
        let seconds = receivedAt.milliseconds / 1_000
        var writer = ObjectWriter(capacity: 1_024 + (data?.utf8.count ?? 0) * 9 / 8)
        writer.object { row in
            row.member("appId", orNull: appID)
            row.member("client_timestamp", uploadTimestamp)
            row.member("compression", orNull: compression)
            row.member("data", data ?? "")
            row.member("date", "\(time.prefix(19))+00:00")
            row.member("fakeIp", orNull: fakeIP)
            row.member("ingest_time", seconds * 1_000)
            row.member("ip", orNull: ip)
            row.member("method", method)
            row.member("path", path)
            row.member("platform", orNull: platform)
            row.member("rid", id)
            row.member("server_ingest_time", seconds * 1_000)
            row.member("source_type", "http_server")
            row.member("timestamp", time)
            row.member("ua", orNull: userAgent)
            row.member("uri", uri)
        }
        return writer.bytes
    }
}
