/// Build of the app and of this library.
public struct ContentsquareBuild: Sendable, Hashable {
    /// Variant of a build.
    public enum Flavor: String, Sendable, Hashable {
        case release
        case debug
        case god
    }

    package var library: Flavor
    package var app: Flavor
    package var appNumber: Int
    /// Build number of this library: releases have versions only.
    static let libraryNumber = 1

    /// Creates a description of the builds.
    /// - Parameters:
    ///   - library: the build of this library.
    ///   - app: the build of the app.
    ///   - appNumber: the app's build number.
    public init(library: Flavor = .release, app: Flavor = .release, appNumber: Int = 1) {
        self.library = library
        self.app = app
        self.appNumber = appNumber
    }
}
