package import ClickstreamCore

/// Format of the Contentsquare server: a header and the events of one session.
///
/// Source: document 002. The header is composed at the time of sending; the events never differ between retries.
package struct ContentsquareFormat: WireFormat {
    package static let name = "contentsquare"
    /// The number of events of a batch, at most, unless it is configured.
    package static let defaultBatchSize = 50

    package var projectID: Int
    package var batchSize: Int
    /// The name of the time zone, such as `Europe/Paris`.
    package var timeZone: String
    /// Physical pixels per logical pixel.
    package var density: Double
    package var build: ContentsquareBuild

    /// - Parameters:
    ///   - batchSize: at least 1; a smaller number is 1.
    ///   - density: limited to the document's range, 0.75 to 10; 1 if it is not positive.
    package init(
        projectID: Int,
        batchSize: Int = defaultBatchSize,
        timeZone: String = "",
        density: Double = 1,
        build: ContentsquareBuild = ContentsquareBuild()
    ) {
        self.projectID = projectID
        self.batchSize = max(1, batchSize)
        self.timeZone = timeZone
        self.density = density > 0 ? min(10, max(0.75, density)) : 1
        self.build = build
    }

    package var name: String { Self.name }

    /// A destination with this format.
    package func destination(appID: String, endpoint: String) -> Destination {
        Destination(format: self, appID: appID, endpoint: endpoint)
    }

    /// Returns the key of a session's events; `nil` if the user's identifier has more than 43 bytes or other
    /// characters than printable ASCII.
    ///
    /// The key contains the user of the events: another user may be logged in when they are sent.
    package static func partition(user: User, session: Session) -> PartitionKey? {
        PartitionKey("\(session.number)/\(user.uniqueID)")
    }

    package func batch(_ configuration: Configuration) -> BatchForm {
        BatchForm(encoding: .plain, addedBytes: 1_024, maxEvents: batchSize, isPartitioned: true)
    }

    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        let endpoint = attempt.endpoint
        let query = endpoint.query.map { "?\($0)" } ?? ""
        return UploadRequest(
            url: "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(endpoint.path)\(query)",
            headers: [
                UploadRequest.Header("content-type", "application/json; charset=utf-8"),
                UploadRequest.Header("user-agent", UploadRequest.userAgent(platform: attempt.device.platform)),
            ],
            body: body(batch.body, attempt),
            connectTimeout: attempt.configuration.connectTimeout,
            requestTimeout: attempt.configuration.requestTimeout
        )
    }

    /// - Parameter events: a JSON array.
    private func body(_ events: [UInt8], _ attempt: DeliveryAttempt) -> [UInt8] {
        let device = attempt.device
        let user = attempt.partition?.text.split(separator: "/", maxSplits: 1).last.map(String.init)
        var batch = ContentsquareObject()
        batch.append("pid", Int64(projectID))
        batch.append("uid", user ?? "")
        batch.append("dt", isTablet(device) ? 5 : 4 as Int64)
        if let make = device.make.nonEmptyProperty { batch.append("dma", make) }
        if let model = device.model.nonEmptyProperty { batch.append("dmo", model) }
        batch.append("os", device.osVersion)
        batch.append("l", device.locale)
        batch.append("tz", timeZone)
        batch.append("now", attempt.time.milliseconds)
        batch.append("to") { origin in
            origin.append("an", device.app.title)
            origin.append("st", "sdk-\(device.platform.lowercased())")
            origin.append("sf", build.library.rawValue)
        }
        batch.append("r") { resolution in
            resolution.append("w", Int64(device.screenWidth))
            resolution.append("h", Int64(device.screenHeight))
            resolution.append("d", density)
        }
        batch.append("pl", json: events)
        return batch.json
    }

    /// True if the smaller side of the screen has at least 600 logical pixels.
    private func isTablet(_ device: Device) -> Bool {
        Double(min(device.screenWidth, device.screenHeight)) >= 600 * density
    }
}
