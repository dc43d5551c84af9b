/// Decision whether a class or an instance generates auto events. Instances are opted in by default.
public struct OptBehavior: Sendable, Hashable {
    private let tracks: Bool

    /// Auto events are generated.
    public static let autoOptIn = OptBehavior(tracks: true)
    /// No auto event is generated.
    public static let autoOptOut = OptBehavior(tracks: false)

    /// True if auto events are generated.
    var isIn: Bool { tracks }
}
