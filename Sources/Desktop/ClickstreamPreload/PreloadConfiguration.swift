import ClickstreamAnalytics
import ClickstreamCapture
import ClickstreamCore

/// Configuration of a program that is captured without a change: settings of the SDK and of capture.
///
/// Sources are the environment, then `amplifyconfiguration.json`, then the defaults.
struct PreloadConfiguration: Sendable {
    /// The file that was read or searched for; `nil` for the usual folders.
    var file: String?
    /// True if neither environment nor file has the key `endsOnSignals`.
    var leavesSignals: Bool
    var capture: CaptureConfiguration
    /// Warnings about the keys and variables of capture.
    var warnings: [String]

    /// Reads the configuration.
    /// - Throws: if the file or a value is invalid, with the position in the file or the name of the variable.
    init(
        environment: [String: String],
        folders: [String] = ConfigurationFile.usualFolders,
        in files: any FileSystem = LocalFileSystem()
    ) throws(ConfigurationError) {
        file = environment.setting(CaptureSettings.fileVariable)
        let loaded = try LoadedConfiguration.load(environment: environment, path: file, folders: folders, in: files)
        leavesSignals = loaded.layers.origin(of: "endsOnSignals") == .defaults
        let section = try loaded.section(at: CaptureSettings.sectionPath, groups: CaptureSettings.Key.groups, in: files)
        let settings = CaptureSettings(section, environment: environment)
        guard settings.report.problems.isEmpty else { throw ConfigurationError(problems: settings.report.problems) }
        capture = settings.configuration
        warnings = settings.report.warnings
    }
}
