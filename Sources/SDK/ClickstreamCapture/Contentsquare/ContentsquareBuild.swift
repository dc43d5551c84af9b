/// Build of the app and of this library.
public struct ContentsquareBuild: Sendable, Hashable {
    /// Variant of a build.
    public enum Flavor: String, Sendable, Hashable {
        case release
        case debug
        case god
    }

    /// The build of this library.
    public var library: Flavor
    /// The build of the app.
    public var app: Flavor
    /// The app's build number.
    public var appNumber: Int
    /// Build number of this library: releases have versions only.
    static let libraryNumber = 1

    public init(library: Flavor = .release, app: Flavor = .release, appNumber: Int = 1) {
        self.library = library
        self.app = app
        self.appNumber = appNumber
    }
}
