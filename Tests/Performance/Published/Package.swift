// swift-tools-version: 6.2
import PackageDescription

/// Work of the published SDK for an event, with the same components on Linux: a program for `Published/run`.
let package = Package(
    name: "Published",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0")],
    targets: [
        .executableTarget(name: "Published", dependencies: [.product(name: "GRDB", package: "GRDB.swift")])
    ],
    swiftLanguageModes: [.v6]
)
