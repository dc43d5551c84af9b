// swift-tools-version: 6.2
import PackageDescription

/// Settings of the main package, without which its sources mean something else.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Cost of the rules compared with hard-coded ones, in instructions: a program for `Tests/Performance/rules`.
///
/// The core is the main package's own sources, through symbolic links, so that nothing else has to be built.
let package = Package(
    name: "RuleCosts",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CClickstreamSystem"),
        .target(
            name: "ClickstreamCore",
            dependencies: ["CClickstreamSystem", "CZlib"],
            swiftSettings: strict
        ),
        // A module of its own, as the rules are: both are called from outside.
        .target(name: "HardCoded", dependencies: ["ClickstreamCore"]),
        .executableTarget(name: "RuleCosts", dependencies: ["ClickstreamCore", "HardCoded"]),
    ],
    swiftLanguageModes: [.v6]
)
