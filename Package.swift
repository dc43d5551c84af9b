// swift-tools-version: 6.2
import PackageDescription

/// Settings that disable implicit imports and types.
let explicit: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Settings of all targets: upcoming features, warnings as errors.
let strict: [SwiftSetting] =
    explicit + [.treatAllWarnings(as: .error), .treatWarning("ExplicitSendable", as: .error)]

/// Settings of all C targets.
let strictC: [CSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

/// Condition for dependencies of the tools: without the trait `Tools`, a consumer neither resolves nor builds them.
let tools = TargetDependencyCondition.when(traits: ["Tools"])

/// Condition for the Kafka sink: librdkafka is required only with the trait `Kafka`.
let kafka = TargetDependencyCondition.when(traits: ["Kafka"])

let package = Package(
    name: "clickstream",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Clickstream", targets: ["Clickstream"]),
        .library(name: "ClickstreamAnalytics", targets: ["ClickstreamAnalytics"]),
        .library(name: "ClickstreamCapture", targets: ["ClickstreamCapture"]),
        .library(name: "ClickstreamCore", targets: ["ClickstreamCore"]),
        .library(name: "ClickstreamSimulation", targets: ["ClickstreamSimulation"]),
        .library(name: "ClickstreamCollector", targets: ["ClickstreamCollector"]),
        .executable(name: "clickstream-cli", targets: ["clickstream-cli"]),
    ],
    traits: [
        .trait(
            name: "Tools",
            description: "The command line and the local collector, with the packages that they need."
        ),
        .trait(
            name: "Kafka",
            description: "The collector hands what it stores on to Kafka; needs librdkafka and the trait Tools.",
            enabledTraits: ["Tools"]
        ),
        .default(enabledTraits: ["Tools"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CRdKafka",
            pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"]), .brew(["librdkafka"])]
        ),
        .target(name: "CClickstreamHardware", cSettings: strictC),
        .target(name: "CClickstreamProcess", cSettings: strictC),
        .target(
            name: "ClickstreamCore",
            dependencies: ["CClickstreamHardware", "CClickstreamProcess", "CZlib"],
            swiftSettings: strict
        ),
        // Readers and validators of the core's output, for the tools and tests, not for apps.
        .target(
            name: "ClickstreamTools",
            dependencies: ["ClickstreamCapture", "ClickstreamCore"],
            swiftSettings: strict
        ),
        .target(
            name: "ClickstreamSimulation",
            dependencies: [
                "ClickstreamCapture", "ClickstreamCore", "ClickstreamTools",
                .product(name: "Yams", package: "Yams", condition: tools),
            ],
            swiftSettings: strict
        ),
        .target(name: "ClickstreamCapture", dependencies: ["ClickstreamCore"], swiftSettings: strict),
        .target(name: "CClickstreamCurl", dependencies: ["CClickstreamProcess"], cSettings: strictC),
        .target(name: "CClickstreamSignals", cSettings: strictC),
        .target(
            name: "ClickstreamAnalytics",
            dependencies: ["CClickstreamCurl", "CClickstreamProcess", "CClickstreamSignals", "ClickstreamCore"],
            swiftSettings: strict
        ),
        .target(name: "Clickstream", dependencies: ["ClickstreamAnalytics"], swiftSettings: strict),
        // Files that the collector embeds; they are in its folder.
        .target(name: "CClickstreamResources", cSettings: strictC),
        .target(
            name: "ClickstreamCollector",
            dependencies: [
                "CClickstreamResources",
                "ClickstreamCore",
                "ClickstreamTools",
                .target(name: "CRdKafka", condition: kafka),
                .product(name: "GRDB", package: "GRDB.swift", condition: tools),
                .product(name: "GRDBSQLite", package: "GRDB.swift", condition: tools),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: tools),
                .product(name: "HummingbirdCore", package: "hummingbird", condition: tools),
                .product(name: "Logging", package: "swift-log", condition: tools),
                .product(name: "NIOCore", package: "swift-nio", condition: tools),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: tools),
                .product(name: "NIOPosix", package: "swift-nio", condition: tools),
            ],
            exclude: ["Inspector/Page", "Server/openapi.json"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "clickstream-cli",
            dependencies: [
                "ClickstreamAnalytics", "ClickstreamCapture", "ClickstreamCollector", "ClickstreamCore",
                "ClickstreamSimulation", "ClickstreamTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
                .product(name: "NIOCore", package: "swift-nio", condition: tools),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: tools),
                .product(name: "NIOPosix", package: "swift-nio", condition: tools),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "StoreProcess",
            dependencies: ["ClickstreamCore", "ClickstreamTools"],
            path: "Tests/StoreProcess",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "CaptureProcess",
            dependencies: ["ClickstreamCapture", "ClickstreamCore"],
            path: "Tests/CaptureProcess",
            swiftSettings: strict
        ),
        // Fixtures that several test targets share.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "ClickstreamCoreTests",
            dependencies: [
                "ClickstreamCore", "ClickstreamSimulation", "ClickstreamTools", "StoreProcess", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamSimulationTests",
            dependencies: [
                "ClickstreamCapture", "ClickstreamCore", "ClickstreamSimulation", "ClickstreamTools", "TestSupport",
            ],
            resources: [.copy("Fixtures")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamAnalyticsTests",
            dependencies: [
                "CClickstreamSignals", "Clickstream", "ClickstreamAnalytics", "ClickstreamCore",
                "ClickstreamSimulation",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamCaptureTests",
            dependencies: [
                "CaptureProcess", "ClickstreamCapture", "ClickstreamCore", "ClickstreamSimulation", "ClickstreamTools",
                "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamManualTests",
            dependencies: [
                "Clickstream", "ClickstreamCapture", "ClickstreamCollector", "ClickstreamCore", "ClickstreamSimulation",
            ],
            // The snippets are compiled as printed, including their warnings.
            swiftSettings: explicit
        ),
        .testTarget(
            name: "ClickstreamCollectorTests",
            dependencies: [
                "ClickstreamAnalytics", "ClickstreamCollector", "ClickstreamCore", "ClickstreamSimulation",
                "ClickstreamTools", "TestSupport",
                .target(name: "CRdKafka", condition: kafka),
                .target(name: "clickstream-cli", condition: kafka),
                .product(name: "GRDB", package: "GRDB.swift", condition: tools),
                .product(name: "Logging", package: "swift-log", condition: tools),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamCLITests",
            dependencies: [
                "clickstream-cli", "ClickstreamCollector", "ClickstreamCore", "ClickstreamTools", "TestSupport",
            ],
            swiftSettings: strict
        ),
        // Tests with real processes, and an app for them that ends in a given way.
        .executableTarget(
            name: "CrashFixture",
            dependencies: ["ClickstreamAnalytics", "ClickstreamCore"],
            path: "Tests/CrashFixture",
            swiftSettings: strict
        ),
        .testTarget(
            name: "ClickstreamProcessTests",
            dependencies: ["ClickstreamCollector", "ClickstreamCore", "CrashFixture", "TestSupport"],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6]
)
