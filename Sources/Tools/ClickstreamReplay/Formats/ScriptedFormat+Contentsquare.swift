import ClickstreamCapture

extension ScriptedFormat {
    /// The project of a script without one is 1.
    static let contentsquare = ScriptedFormat(
        name: ContentsquareFormat.name,
        keys: ["endpoint", "projectId", "batchSize", "density"]
    ) { configuration, facts, endpoint, script in
        var settings = ContentsquareSettings(
            endpoint: endpoint,
            projectID: facts.projectID ?? 1,
            timeZone: script.timeZone.name
        )
        settings.batchSize = facts.batchSize ?? settings.batchSize
        settings.density = facts.density ?? settings.density
        configuration.contentsquare = settings
    }
}
