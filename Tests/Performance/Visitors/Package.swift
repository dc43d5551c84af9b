// swift-tools-version: 6.2
import PackageDescription

/// Costs and guarantees of server events under several threads, in one program.
///
/// With `traits: []` nothing but this repository is resolved and built; it sees what a server sees, the public API.
let package = Package(
    name: "Visitors",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..", traits: [])],
    targets: [
        .executableTarget(
            name: "ServerCosts",
            dependencies: [
                .product(name: "ClickstreamCore", package: "clickstream"),
                .product(name: "ClickstreamServer", package: "clickstream"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
