// swift-tools-version: 6.2
import PackageDescription

/// Web shop on Hummingbird whose page views are recorded by `ClickstreamServer`: see Docs/hummingbird-tutorial.md.
let package = Package(
    name: "hummingbird-shop",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "clickstream", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.3.0"),
    ],
    targets: [
        // Application and middleware, in a library for the tests.
        .target(
            name: "Shop",
            dependencies: [
                .product(name: "ClickstreamServer", package: "clickstream"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "ShopServer",
            dependencies: ["Shop", .product(name: "ClickstreamServer", package: "clickstream")]
        ),
        .testTarget(name: "ShopTests", dependencies: ["Shop"]),
    ],
    swiftLanguageModes: [.v6]
)
