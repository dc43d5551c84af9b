// swift-tools-version: 6.2
import PackageDescription

/// Costs of audit scopes for an app that uses GRDB: a program for `Tests/Performance/audit`. It uses the public API.
let package = Package(
    name: "AuditCosts",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "clickstream", path: "../../..", traits: ["Audit"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "AuditCosts",
            dependencies: [
                .product(name: "ClickstreamAudit", package: "clickstream"),
                .product(name: "ClickstreamCore", package: "clickstream"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
