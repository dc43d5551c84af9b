// swift-tools-version: 6.2
import PackageDescription

/// Cost of recording for the caller, compared with a bare `write(2)`, `memcpy` and mapped memory in the same run: a
/// program for `Tests/Performance/Record/run`.
///
/// Nothing but this repository is built.
let package = Package(
    name: "Record",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..")],
    targets: [
        .target(name: "CMeter"),
        .executableTarget(
            name: "Record",
            dependencies: ["CMeter", .product(name: "ClickstreamCore", package: "clickstream")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
