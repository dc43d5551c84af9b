// swift-tools-version: 6.2
import PackageDescription

/// App whose events are generated from a tracking plan when it is built: see Docs/plan.md.
let package = Package(
    name: "plan-shop",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Shop",
            dependencies: [.product(name: "ClickstreamAnalytics", package: "clickstream")],
            plugins: [.plugin(name: "ClickstreamPlanPlugin", package: "clickstream")]
        )
    ],
    swiftLanguageModes: [.v6]
)
