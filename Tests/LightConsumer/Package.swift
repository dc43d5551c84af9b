// swift-tools-version: 6.2
import PackageDescription

/// An app that uses the SDK alone: with `traits: []` nothing but this repository is resolved and built.
let package = Package(
    name: "LightConsumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "LightConsumer",
            dependencies: [.product(name: "Clickstream", package: "clickstream")]
        )
    ]
)
