package import ClickstreamCore

extension CaptureConfiguration {
    /// The destinations of the enabled formats other than the clickstream one.
    package func destinations(appID: String) -> [Destination] {
        var destinations: [Destination] = []
        if let pulse {
            destinations.append(
                Destination(
                    format: PulseFormat(),
                    appID: appID,
                    endpoint: pulse.endpoint,
                    authCookie: pulse.authCookie
                )
            )
        }
        if let contentsquare {
            destinations.append(
                ContentsquareFormat(
                    projectID: contentsquare.projectID,
                    batchSize: contentsquare.batchSize,
                    timeZone: contentsquare.timeZone ?? HostTimeZone.name,
                    density: contentsquare.density,
                    build: contentsquare.build
                ).destination(appID: appID, endpoint: contentsquare.endpoint)
            )
        }
        return destinations
    }
}
