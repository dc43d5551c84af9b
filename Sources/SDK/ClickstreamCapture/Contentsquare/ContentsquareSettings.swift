package import ClickstreamCore

/// Settings of the Contentsquare format.
public struct ContentsquareSettings: Sendable, Hashable {
    package var endpoint: String
    package var projectID: Int
    package var batchSize: Int
    package var timeZone: String?
    package var density: Double
    package var build: ContentsquareBuild

    /// Creates settings.
    /// - Parameters:
    ///   - endpoint: the complete URL; if empty, events are kept.
    ///   - projectID: the identifier of the project, `pid`.
    ///   - batchSize: the maximum number of events of a batch, at least 1.
    ///   - timeZone: the IANA name of the time zone; `nil` for that of the host.
    ///   - density: physical pixels per logical pixel, from 0.75 to 10.
    ///   - build: builds of the app and of the library.
    public init(
        endpoint: String = "",
        projectID: Int,
        batchSize: Int = 50,
        timeZone: String? = nil,
        density: Double = 1,
        build: ContentsquareBuild = ContentsquareBuild()
    ) {
        self.endpoint = endpoint
        self.projectID = projectID
        self.batchSize = batchSize
        self.timeZone = timeZone
        self.density = density
        self.build = build
    }
}

extension ContentsquareSettings: FormatSettings {
    package static let formatName = FormatName.contentsquare
    package static let property: any WritableKeyPath<CaptureConfiguration, ContentsquareSettings?> & Sendable =
        \.contentsquare
    package static let keys: [FormatKey<ContentsquareSettings>] = [
        FormatKey("endpoint", .endpoint(\.endpoint)),
        FormatKey("projectId", .count(\.projectID, scriptMinimum: 0), isRequired: true),
        FormatKey("batchSize", .count(\.batchSize)),
        FormatKey("density", .number(\.density, in: 0.75...10), in: [.script]),
    ]
    package static let defaults = ContentsquareSettings(projectID: 0)

    package static func scriptDefaults(timeZone: String) -> ContentsquareSettings {
        ContentsquareSettings(projectID: 1, timeZone: timeZone)
    }

    package func destination(appID: String) -> Destination {
        ContentsquareFormat(
            projectID: projectID,
            batchSize: batchSize,
            timeZone: timeZone ?? HostTimeZone.name,
            density: density,
            build: build
        ).destination(appID: appID, endpoint: endpoint)
    }
}
