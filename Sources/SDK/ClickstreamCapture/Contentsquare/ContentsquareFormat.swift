public import ClickstreamCore

extension FormatName {
    /// The format of ``ContentsquareSettings``.
    public static let contentsquare = FormatName(rawValue: "contentsquare")
}

/// Format of the Contentsquare server: a header and the events of one session.
///
/// Source: document 002. The header is composed at the time of sending; the events never differ between retries.
package struct ContentsquareFormat: WireFormat {
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

    package var name: FormatName { .contentsquare }

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

    package func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm {
        BatchForm(encoding: .plain, addedBytes: 1_024, maxEvents: batchSize, isPartitioned: true)
    }

    package func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest {
        UploadRequest(
            url: attempt.endpoint.description,
            headers: [
                UploadRequest.Header(name: "content-type", value: "application/json; charset=utf-8"),
                UploadRequest.Header(
                    name: "user-agent",
                    value: UploadRequest.userAgent(platform: attempt.device.platform)
                ),
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
        var writer = ObjectWriter()
        writer.object { batch in
            batch.member("pid", projectID)
            batch.member("uid", user ?? "")
            batch.member("dt", isTablet(device) ? 5 : 4)
            batch.member("dma", device.make.nonEmptyProperty)
            batch.member("dmo", device.model.nonEmptyProperty)
            batch.member("os", device.osVersion)
            batch.member("l", device.locale)
            batch.member("tz", timeZone)
            batch.member("now", attempt.time.milliseconds)
            batch.object("to") { origin in
                origin.member("an", device.app.title)
                origin.member("st", "sdk-\(device.platform.lowercased())")
                origin.member("sf", build.library.rawValue)
            }
            batch.object("r") { resolution in
                resolution.member("w", device.screenWidth)
                resolution.member("h", device.screenHeight)
                resolution.member("d", density)
            }
            batch.member("pl", json: events)
        }
        return writer.bytes
    }

    /// True if the smaller side of the screen has at least 600 logical pixels.
    private func isTablet(_ device: ClickstreamClient.Device) -> Bool {
        Double(min(device.screenWidth, device.screenHeight)) >= 600 * density
    }
}
