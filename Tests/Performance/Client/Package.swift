// swift-tools-version: 6.2
import PackageDescription

/// Costs of the client for an app, compared with the machine's own primitives: a program for `Client/run`, and one
/// loop for the counters of `Tests/Performance/gate`.
///
/// Nothing but this repository is built; it sees what an app sees, the public API.
let package = Package(
    name: "Client",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..")],
    targets: [
        // For zlib alone, called directly.
        .systemLibrary(name: "CBareZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .executableTarget(
            name: "Client",
            dependencies: [
                "CBareZlib",
                .product(name: "ClickstreamAnalytics", package: "clickstream"),
                .product(name: "ClickstreamCapture", package: "clickstream"),
                .product(name: "ClickstreamCore", package: "clickstream"),
            ]
        ),
        // The same small app without the library and with it: what it adds to a program's size.
        .executableTarget(name: "PlainApp"),
        .executableTarget(
            name: "AppWithSDK",
            dependencies: [.product(name: "Clickstream", package: "clickstream")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
