package import ClickstreamCore

/// Line of an archive: a request as the published server stores it, with the fields that the published pipeline reads.
package struct ArchivedRequest: Sendable, Hashable {
    /// The body as text.
    package var data: String?
    /// Milliseconds since 1970, in whole seconds.
    package var ingestTime: Int64?
    /// The `appId` of the query, which the pipeline takes from the line alone.
    package var appID: String?
    package var userAgent: String?
    package var hasURI: Bool

    /// - Throws: an error for a line that is not JSON, which the pipeline reads as a request without any field, or nested too deeply.
    package init(_ line: [UInt8]) throws(JSONError) {
        let row = try JSONReader.parse(line[...])
        data = row["data"]?.string
        ingestTime = row["ingest_time"]?.integer
        appID = row["appId"]?.string
        userAgent = row["ua"]?.string
        hasURI = row["uri"].map { !$0.isNull } ?? false
    }
}
