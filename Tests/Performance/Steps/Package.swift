// swift-tools-version: 6.2
import PackageDescription

/// Settings of the main package, without which its sources mean something else.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Cost of each step of an event, compared with the machine's own: a program for `Steps/run`.
///
/// The core is the main package's own sources, through symbolic links: its inside is measured, which no app sees.
let package = Package(
    name: "Steps",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CClickstreamSystem"),
        .target(
            name: "ClickstreamCore",
            dependencies: ["CClickstreamSystem", "CZlib"],
            swiftSettings: strict
        ),
        .executableTarget(name: "Steps", dependencies: ["CZlib", "ClickstreamCore"]),
    ],
    swiftLanguageModes: [.v6]
)
