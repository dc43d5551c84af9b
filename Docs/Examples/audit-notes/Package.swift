// swift-tools-version: 6.2
import PackageDescription

/// A list of notes in SQLite with audit scopes: the app of Docs/audit-tutorial.md.
let package = Package(
    name: "AuditNotes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "clickstream", path: "../../..", traits: ["Audit"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "AuditNotes",
            dependencies: [
                .product(name: "Clickstream", package: "clickstream"),
                .product(name: "ClickstreamAudit", package: "clickstream"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
