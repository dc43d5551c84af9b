// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gtk-shop",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "clickstream", path: "../../..", traits: ["GTK"])],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .executableTarget(
            name: "Shop",
            dependencies: [
                "CGtk",
                .product(name: "ClickstreamAnalytics", package: "clickstream"),
                .product(name: "ClickstreamCapture", package: "clickstream"),
                .product(name: "ClickstreamGTK", package: "clickstream"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
