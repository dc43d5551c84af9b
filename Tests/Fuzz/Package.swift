// swift-tools-version: 6.2
import PackageDescription

/// Settings of the main package, without which its sources mean something else.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// libFuzzer's entry points replace `main`; testability gives access to `package` and internal declarations.
let fuzzed: [SwiftSetting] = [.unsafeFlags(["-parse-as-library"])] + strict

/// The fuzzers, apart from the main package since they do not link without `--sanitize=fuzzer`.
///
/// The targets that are fuzzed are the main package's own sources, through symbolic links: so they are built with the
/// fuzzer's counters, their `package` names can be reached, and nothing else has to be built. See Docs/fuzzing.md.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CClickstreamSystem"),
        .target(
            name: "ClickstreamCore",
            dependencies: ["CClickstreamSystem", "CZlib"],
            swiftSettings: strict
        ),
        .target(name: "ClickstreamCapture", dependencies: ["ClickstreamCore"], swiftSettings: strict),
        .target(
            name: "ClickstreamJudges",
            dependencies: ["ClickstreamCapture", "ClickstreamCore"],
            swiftSettings: strict
        ),
        .target(name: "HTTPReply", dependencies: ["ClickstreamCore"], swiftSettings: strict),
        .target(name: "MemoryFiles", dependencies: ["ClickstreamCore"], swiftSettings: strict),
        .target(name: "FuzzInput", dependencies: ["ClickstreamCore"], swiftSettings: strict),
        .executableTarget(
            name: "FuzzEvents",
            dependencies: ["ClickstreamCore", "ClickstreamJudges", "FuzzInput"],
            swiftSettings: fuzzed
        ),
        .executableTarget(
            name: "FuzzJSON",
            dependencies: ["ClickstreamCore", "ClickstreamJudges", "FuzzInput"],
            swiftSettings: fuzzed
        ),
        .executableTarget(
            name: "FuzzGzip",
            dependencies: ["ClickstreamCore", "ClickstreamJudges", "FuzzInput"],
            swiftSettings: fuzzed
        ),
        .executableTarget(
            name: "FuzzRecord",
            dependencies: ["ClickstreamCore", "FuzzInput", "MemoryFiles"],
            swiftSettings: fuzzed
        ),
        .executableTarget(
            name: "FuzzReply",
            dependencies: ["ClickstreamCore", "FuzzInput", "HTTPReply"],
            swiftSettings: fuzzed
        ),
        .executableTarget(
            name: "FuzzState",
            dependencies: ["ClickstreamCore", "FuzzInput"],
            swiftSettings: fuzzed
        ),
    ],
    swiftLanguageModes: [.v6]
)
