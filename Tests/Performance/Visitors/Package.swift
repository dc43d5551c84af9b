// swift-tools-version: 6.2
import PackageDescription

/// Costs and guarantees of server events under several threads, in one program.
///
/// Nothing but this repository is built; it sees what a server sees, the public API.
let package = Package(
    name: "Visitors",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..")],
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
