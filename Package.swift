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

/// Settings of the core in the build of .ci/coverage, whose environment has CLICKSTREAM_COVERAGE: its lines are counted.
let isCounted = Context.environment["CLICKSTREAM_COVERAGE"] != nil
let counted: [SwiftSetting] = isCounted ? [.unsafeFlags(["-profile-generate", "-profile-coverage-mapping"])] : []
let countedLink: [LinkerSetting] = isCounted ? [.unsafeFlags(["-profile-generate"])] : []

/// Settings of the core in a build whose environment has CLICKSTREAM_OPTIMIZED (.ci/build): optimized, with its assertions. The
/// tests call it so often that they take two thirds of the time.
let isOptimized = Context.environment["CLICKSTREAM_OPTIMIZED"] != nil
let optimized: [SwiftSetting] =
    isOptimized ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

/// Settings of the SDK on Linux; Apple's toolchains are given none. In debug builds the modules of the system are not indexed for each of
/// these modules: an app that imports one indexes it anyway. In release builds the linker leaves out of an app what the app does not
/// call: SwiftPM passes `--gc-sections`, but the compiler puts all internal functions of a file into one section, and marks all public
/// and package functions as used, for callers in other shared libraries. SwiftPM accepts such flags in dependencies from tools version
/// 6.2 on.
#if os(Linux)
let lean: [SwiftSetting] = [
    .unsafeFlags(["-index-ignore-system-modules"], .when(configuration: .debug)),
    .unsafeFlags(
        ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"],
        .when(configuration: .release)
    ),
]
#else
let lean: [SwiftSetting] = []
#endif

/// Product and target of the build-tool plugin. SwiftPM compiles its tool, and the core below that, a second time for the host;
/// a build whose environment has CLICKSTREAM_WITHOUT_PLUGIN (.ci/build) omits both.
let hasPlugin = Context.environment["CLICKSTREAM_WITHOUT_PLUGIN"] == nil
let pluginProducts: [Product] =
    hasPlugin ? [.plugin(name: "ClickstreamPlanPlugin", targets: ["ClickstreamPlanPlugin"])] : []
let pluginTargets: [Target] =
    hasPlugin
    ? [.plugin(name: "ClickstreamPlanPlugin", capability: .buildTool(), dependencies: ["clickstream-plan"])] : []

/// Condition for the collector: Hummingbird, NIO and GRDB are resolved only with the trait `Collector`.
let collector = TargetDependencyCondition.when(traits: ["Collector"])

/// Condition for the Kafka sink: librdkafka is required only with the trait `Kafka`.
let kafka = TargetDependencyCondition.when(traits: ["Kafka"])

/// Condition for capture from GTK 4: its headers are required only with the trait `GTK`.
let gtk = TargetDependencyCondition.when(traits: ["GTK"])

/// Condition for audit scopes: GRDB is resolved only with the trait `Audit`.
let audit = TargetDependencyCondition.when(traits: ["Audit"])

/// Condition for the integrations of servers: the packages of swift-log, metrics, tracing and service lifecycle.
let server = TargetDependencyCondition.when(traits: ["Server"])

/// The SDK, which apps link.
let sdk: [Target] = [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CClickstreamSystem", cSettings: strictC),
    .target(
        name: "ClickstreamCore",
        dependencies: ["CClickstreamSystem", "CZlib"],
        swiftSettings: strict + lean + optimized + counted,
        linkerSettings: countedLink
    ),
    .target(
        name: "ClickstreamAnalytics",
        dependencies: ["CClickstreamSystem", "ClickstreamCore"],
        swiftSettings: strict + lean
    ),
    .target(name: "Clickstream", dependencies: ["ClickstreamAnalytics"], swiftSettings: strict + lean),
    .target(name: "ClickstreamCapture", dependencies: ["ClickstreamCore"], swiftSettings: strict + lean),
]

/// Modules for servers: events of many visitors, log messages, changes of a database.
let servers: [Target] = [
    // Events of many visitors in one process.
    .target(
        name: "ClickstreamServer",
        dependencies: [
            "ClickstreamAnalytics", "ClickstreamCore",
            .product(name: "CoreMetrics", package: "swift-metrics", condition: server),
            .product(name: "Instrumentation", package: "swift-distributed-tracing", condition: server),
            .product(name: "Logging", package: "swift-log", condition: server),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
        ],
        swiftSettings: strict
    ),
    // Backend of swift-log.
    .target(
        name: "ClickstreamLogging",
        dependencies: [
            "ClickstreamAnalytics", "ClickstreamCore",
            .product(name: "Logging", package: "swift-log", condition: server),
        ],
        swiftSettings: strict
    ),
    // Functions of SQLite that GRDB does not export; those that a library lacks are found at run time.
    .target(name: "CClickstreamSQLite", cSettings: strictC),
    .target(
        name: "ClickstreamAudit",
        dependencies: [
            "CClickstreamSQLite", "ClickstreamCore",
            .product(name: "GRDB", package: "GRDB.swift", condition: audit),
            .product(name: "GRDBSQLite", package: "GRDB.swift", condition: audit),
        ],
        swiftSettings: strict
    ),
]

/// Automatic capture from GTK 4.
let desktop: [Target] = [
    .systemLibrary(name: "CGtk4", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
    // Replacements of the functions of gettext, which report each translated text.
    .target(name: "CClickstreamGettext", cSettings: strictC),
    .target(
        name: "ClickstreamGTK",
        dependencies: [
            "CClickstreamGettext", "ClickstreamAnalytics", "ClickstreamCapture", "ClickstreamCore",
            .target(name: "CGtk4", condition: gtk),
        ],
        swiftSettings: strict
    ),
    .target(
        name: "ClickstreamPreload",
        dependencies: ["ClickstreamAnalytics", "ClickstreamCapture", "ClickstreamCore", "ClickstreamGTK"],
        swiftSettings: strict
    ),
]

/// The C interface, on which the bindings for other languages are built.
let bindings: [Target] = [
    // The header of the C interface; ClickstreamC implements it.
    .target(name: "CClickstream", cSettings: strictC),
    .target(
        name: "ClickstreamC",
        dependencies: ["CClickstream", "CClickstreamSystem", "ClickstreamAnalytics", "ClickstreamCore"],
        swiftSettings: strict
    ),
]

/// The command line and the collector, with the modules that only they and tests need.
let tools: [Target] = [
    // Documents in YAML and JSON, with the positions of their values.
    .target(
        name: "ClickstreamDocuments",
        dependencies: ["ClickstreamCore", .product(name: "Yams", package: "Yams")],
        swiftSettings: strict
    ),
    // Rules of a server: judges of received events and requests.
    .target(
        name: "ClickstreamJudges",
        dependencies: ["ClickstreamCapture", "ClickstreamCore"],
        swiftSettings: strict
    ),
    // Readers of an app's store: check, pending events.
    .target(
        name: "ClickstreamStores",
        dependencies: ["ClickstreamCore"],
        swiftSettings: strict
    ),
    // Tracking plans: model, reader, judge and generators.
    .target(
        name: "ClickstreamPlan",
        dependencies: ["ClickstreamCore", "ClickstreamDocuments"],
        swiftSettings: strict
    ),
    // Generator of typed events; the plugin runs it when an app is built. What it depends on is compiled a second time.
    .executableTarget(
        name: "clickstream-plan",
        dependencies: ["ClickstreamCore", "ClickstreamDocuments", "ClickstreamPlan"],
        swiftSettings: strict
    ),
    // Replay: reader of scripts, and player of their steps through the real client.
    .target(
        name: "ClickstreamReplay",
        dependencies: ["ClickstreamCapture", "ClickstreamCore", "ClickstreamDocuments", "ClickstreamSimulation"],
        swiftSettings: strict
    ),
    // Files that the collector embeds: those of the folder Inspector, and the description of its API.
    .target(name: "CClickstreamResources", cSettings: strictC),
    .systemLibrary(
        name: "CRdKafka",
        pkgConfig: "rdkafka",
        providers: [.apt(["librdkafka-dev"]), .brew(["librdkafka"])]
    ),
    .target(
        name: "ClickstreamCollector",
        dependencies: [
            "CClickstreamResources",
            "CClickstreamSQLite",
            "ClickstreamCore",
            "ClickstreamDocuments",
            "ClickstreamJudges",
            "ClickstreamPlan",
            .target(name: "CRdKafka", condition: kafka),
            .product(name: "GRDB", package: "GRDB.swift", condition: collector),
            .product(name: "GRDBSQLite", package: "GRDB.swift", condition: collector),
            .product(name: "HTTPTypes", package: "swift-http-types", condition: collector),
            .product(name: "HummingbirdCore", package: "hummingbird", condition: collector),
            .product(name: "Logging", package: "swift-log", condition: collector),
            .product(name: "NIOCore", package: "swift-nio", condition: collector),
            .product(name: "NIOHTTP1", package: "swift-nio", condition: collector),
            .product(name: "NIOPosix", package: "swift-nio", condition: collector),
        ],
        exclude: ["Server/openapi.json"],
        swiftSettings: strict
    ),
    .executableTarget(
        name: "clickstream-cli",
        dependencies: [
            "CClickstreamSystem", "ClickstreamAnalytics", "ClickstreamAudit", "ClickstreamCapture",
            "ClickstreamCollector", "ClickstreamCore", "ClickstreamDocuments", "ClickstreamJudges", "ClickstreamPlan",
            "ClickstreamReplay", "ClickstreamServer", "ClickstreamSimulation", "ClickstreamStores",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "GRDB", package: "GRDB.swift", condition: audit),
            .product(name: "GRDBSQLite", package: "GRDB.swift", condition: audit),
        ],
        swiftSettings: strict
    ),
]

/// Test kit of apps, test targets, the programs that they start, and their common fixtures.
let tests: [Target] = [
    // Clock, disk, server and recorder for tests of apps.
    .target(
        name: "ClickstreamSimulation",
        dependencies: ["ClickstreamCore", "ClickstreamJudges", "ClickstreamPlan"],
        path: "Sources/Testing/ClickstreamSimulation",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "StoreProcess",
        dependencies: ["ClickstreamCore", "ClickstreamJudges"],
        path: "Tests/StoreProcess",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "CaptureProcess",
        dependencies: ["ClickstreamCapture", "ClickstreamCore", "ClickstreamJudges", "FormatFixtures"],
        path: "Tests/CaptureProcess",
        swiftSettings: strict
    ),
    // Counterparts of the manual's Objective-C snippets, for Tests/Bindings.
    .executableTarget(
        name: "BindingsProcess",
        dependencies: ["ClickstreamAnalytics"],
        path: "Tests/BindingsProcess",
        swiftSettings: strict
    ),
    // Fixtures that several test targets share.
    .target(
        name: "TestSupport",
        dependencies: ["ClickstreamCore"],
        path: "Tests/TestSupport",
        swiftSettings: strict
    ),
    // Formats of automatic capture, for the tests of each format.
    .target(
        name: "FormatFixtures",
        dependencies: ["ClickstreamCapture", "ClickstreamCore", "ClickstreamJudges"],
        path: "Tests/FormatFixtures",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamCoreTests",
        dependencies: [
            "ClickstreamCore", "ClickstreamJudges", "ClickstreamReplay", "ClickstreamSimulation", "ClickstreamStores",
            "StoreProcess", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamPlanTests",
        dependencies: ["ClickstreamCore", "ClickstreamDocuments", "ClickstreamPlan", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamSimulationTests",
        dependencies: [
            "ClickstreamCapture", "ClickstreamCore", "ClickstreamDocuments", "ClickstreamJudges", "ClickstreamPlan",
            "ClickstreamReplay", "ClickstreamSimulation", "TestSupport",
        ],
        resources: [.copy("Fixtures")],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamAnalyticsTests",
        dependencies: [
            "CClickstreamSystem", "Clickstream", "ClickstreamAnalytics", "ClickstreamCore",
            "ClickstreamSimulation", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamCaptureTests",
        dependencies: [
            "CaptureProcess", "ClickstreamCapture", "ClickstreamCore", "ClickstreamJudges", "ClickstreamReplay",
            "ClickstreamSimulation", "FormatFixtures", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamGTKTests",
        dependencies: [
            "CClickstreamGettext", "ClickstreamAnalytics", "ClickstreamCapture", "ClickstreamCore",
            "ClickstreamGTK", "ClickstreamPreload", "ClickstreamSimulation", "FormatFixtures", "TestSupport",
            .target(name: "CGtk4", condition: gtk),
        ],
        swiftSettings: strict
    ),
    // Costs of capture from GTK, for Tests/Performance/GTK/run.
    .executableTarget(
        name: "GTKCosts",
        dependencies: [
            "ClickstreamCapture", "ClickstreamCore", "ClickstreamGTK", .target(name: "CGtk4", condition: gtk),
        ],
        path: "Tests/Performance/GTK",
        exclude: ["run"],
        swiftSettings: strict
    ),
    .executableTarget(
        name: "AuditProcess",
        dependencies: [
            "ClickstreamAudit", "ClickstreamCore",
            .product(name: "GRDB", package: "GRDB.swift", condition: audit),
        ],
        path: "Tests/AuditProcess",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamAuditTests",
        dependencies: [
            "AuditProcess", "CClickstreamSQLite", "ClickstreamAudit", "ClickstreamCore", "ClickstreamSimulation",
            "TestSupport",
            .product(name: "GRDB", package: "GRDB.swift", condition: audit),
            .product(name: "GRDBSQLite", package: "GRDB.swift", condition: audit),
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamLoggingTests",
        dependencies: [
            "ClickstreamAnalytics", "ClickstreamCore", "ClickstreamLogging", "ClickstreamSimulation",
            .product(name: "Logging", package: "swift-log", condition: server),
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
        name: "ClickstreamServerTests",
        dependencies: [
            "ClickstreamAnalytics", "ClickstreamCore", "ClickstreamJudges", "ClickstreamServer",
            "ClickstreamSimulation", "TestSupport",
            .product(name: "CoreMetrics", package: "swift-metrics", condition: server),
            .product(name: "InMemoryLogging", package: "swift-log", condition: server),
            .product(name: "Instrumentation", package: "swift-distributed-tracing", condition: server),
            .product(name: "Logging", package: "swift-log", condition: server),
            .product(name: "MetricsTestKit", package: "swift-metrics", condition: server),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server),
            .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle", condition: server),
            .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: server),
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamCollectorTests",
        dependencies: [
            "ClickstreamAnalytics", "ClickstreamCollector", "ClickstreamCore", "ClickstreamJudges", "ClickstreamPlan",
            "ClickstreamSimulation", "TestSupport",
            .target(name: "CRdKafka", condition: kafka),
            .target(name: "clickstream-cli", condition: kafka),
            .product(name: "GRDB", package: "GRDB.swift", condition: collector),
            .product(name: "Logging", package: "swift-log", condition: collector),
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamCLITests",
        dependencies: [
            "clickstream-cli", "ClickstreamAnalytics", "ClickstreamCollector", "ClickstreamCore", "ClickstreamJudges",
            "ClickstreamPlan", "ClickstreamReplay", "ClickstreamSimulation", "FormatFixtures", "TestSupport",
        ],
        swiftSettings: strict
    ),
    // Tests with real processes, and an app for them that ends in a given way.
    .target(name: "CEarlierHandler", path: "Tests/CEarlierHandler", cSettings: strictC),
    .executableTarget(
        name: "CrashFixture",
        dependencies: ["CEarlierHandler", "ClickstreamAnalytics", "ClickstreamCore"],
        path: "Tests/CrashFixture",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ClickstreamProcessTests",
        dependencies: ["ClickstreamCollector", "ClickstreamCore", "CrashFixture", "TestSupport"],
        swiftSettings: strict
    ),
]

/// Sets the paths of targets: each has a folder of its name in `Sources/<folder>`.
func placed(_ targets: [Target], in folder: String) -> [Target] {
    for target in targets { target.path = "Sources/\(folder)/\(target.name)" }
    return targets
}

let package = Package(
    name: "clickstream",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Clickstream", targets: ["Clickstream"]),
        .library(name: "ClickstreamAnalytics", targets: ["ClickstreamAnalytics"]),
        .library(name: "ClickstreamAudit", targets: ["ClickstreamAudit"]),
        .library(name: "ClickstreamCapture", targets: ["ClickstreamCapture"]),
        .library(name: "ClickstreamCore", targets: ["ClickstreamCore"]),
        .library(name: "ClickstreamGTK", targets: ["ClickstreamGTK"]),
        .library(name: "ClickstreamLogging", targets: ["ClickstreamLogging"]),
        // Capture from programs that cannot be changed: see Bindings/GTK.
        .library(name: "clickstream-gtk-capture", type: .dynamic, targets: ["ClickstreamPreload"]),
        .library(name: "ClickstreamServer", targets: ["ClickstreamServer"]),
        .library(name: "ClickstreamSimulation", targets: ["ClickstreamSimulation"]),
        .library(name: "ClickstreamCollector", targets: ["ClickstreamCollector"]),
        // libclickstream, the library behind clickstream.h.
        .library(name: "clickstream", type: .dynamic, targets: ["ClickstreamC"]),
        .executable(name: "clickstream-cli", targets: ["clickstream-cli"]),
    ] + pluginProducts,
    traits: [
        .trait(
            name: "Collector",
            description: "The local collector, and the command collect: Hummingbird, NIO and GRDB."
        ),
        .trait(
            name: "Audit",
            description: "Audit scopes over databases that are opened with GRDB, and the command audit."
        ),
        .trait(
            name: "Library",
            description: "libclickstream: self-contained, without Foundation's URL loading and ICU."
        ),
        .trait(name: "GTK", description: "Automatic capture from GTK 4; needs the headers of GTK 4.8 or later."),
        .trait(
            name: "Kafka",
            description: "The collector hands what it stores on to Kafka; needs librdkafka.",
            enabledTraits: ["Collector"]
        ),
        .trait(
            name: "Server",
            description: "Server events as a service: swift-service-lifecycle, swift-log, swift-metrics and tracing."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: placed(sdk + servers, in: "SDK") + placed(desktop, in: "Desktop") + placed(bindings, in: "Bindings")
        + placed(tools, in: "Tools") + tests + pluginTargets,
    swiftLanguageModes: [.v6]
)

// libclickstream alone, from the folders SDK and Bindings: the source distribution of the Python package (Bindings/Python/setup.py)
// has no other, and its environment has CLICKSTREAM_LIBRARY_ALONE. No third-party package is resolved.
if Context.environment["CLICKSTREAM_LIBRARY_ALONE"] != nil {
    let names = (sdk + bindings).map(\.name)
    package.targets.removeAll { !names.contains($0.name) }
    package.products.removeAll { $0.name != "clickstream" }
    package.dependencies = []
}
