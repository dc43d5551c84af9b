package import ClickstreamCore

/// Facts of a script about app, device, configuration and automatic capture; keys left out keep their values.
package struct LaunchFacts: Sendable, Hashable {
    package var app: AppFacts
    package var device: DeviceFacts
    /// In written order; a later entry of one key wins.
    package var configuration: [ConfigurationEntry]
    package var capture: CaptureFacts

    package init(
        app: AppFacts = AppFacts(),
        device: DeviceFacts = DeviceFacts(),
        configuration: [ConfigurationEntry] = [],
        capture: CaptureFacts = CaptureFacts()
    ) {
        self.app = app
        self.device = device
        self.configuration = configuration
        self.capture = capture
    }

    /// These facts, overridden by `others`.
    package func overlaid(with others: LaunchFacts) -> LaunchFacts {
        var device = device
        device.overlay(others.device)
        var app = app
        app.overlay(others.app)
        var capture = capture
        capture.overlay(others.capture)
        return LaunchFacts(
            app: app,
            device: device,
            configuration: configuration + others.configuration,
            capture: capture
        )
    }

    /// Overrides properties of `device` with the facts about app and device.
    package func apply(to device: inout ClickstreamClient.Device) {
        device = device.with(self.device)
        app.apply(to: &device.app)
    }
}

/// The facts about the app that a script may state.
package struct AppFacts: Sendable, Hashable {
    package var package: String?
    package var title: String?
    package var version: String?

    /// Every key of the block `app`, in the order of the documentation.
    static let texts: [(key: String, path: any WritableKeyPath<AppFacts, String?> & Sendable)] = [
        ("package", \.package), ("title", \.title), ("version", \.version),
    ]

    package init(package: String? = nil, title: String? = nil, version: String? = nil) {
        self.package = package
        self.title = title
        self.version = version
    }

    mutating func overlay(_ others: AppFacts) {
        for text in AppFacts.texts { self[keyPath: text.path] = others[keyPath: text.path] ?? self[keyPath: text.path] }
    }

    func apply(to app: inout ClickstreamClient.Device.App) {
        app.package = package ?? app.package
        app.title = title ?? app.title
        app.version = version ?? app.version
    }
}

/// The facts about the device that a script may state.
package typealias DeviceFacts = ClickstreamClient.Configuration.DeviceOverrides

extension DeviceFacts {
    /// Every key of the block `device` whose value is text, in the order of the documentation.
    static let texts: [(key: String, path: any WritableKeyPath<DeviceFacts, String?> & Sendable)] = [
        ("platform", \.platform), ("os_version", \.osVersion), ("make", \.make), ("brand", \.brand),
        ("model", \.model), ("locale", \.locale), ("language", \.language), ("country", \.country),
        ("carrier", \.carrier), ("network", \.networkType), ("device_id", \.deviceID),
        ("advertising_id", \.advertisingID),
    ]

    /// Every key of the block `device` whose value is a number of pixels.
    static let pixels: [(key: String, path: any WritableKeyPath<DeviceFacts, Int?> & Sendable)] = [
        ("screen_width", \.screenWidth), ("screen_height", \.screenHeight),
    ]

    mutating func overlay(_ others: DeviceFacts) {
        for text in DeviceFacts.texts {
            self[keyPath: text.path] = others[keyPath: text.path] ?? self[keyPath: text.path]
        }
        for number in DeviceFacts.pixels {
            self[keyPath: number.path] = others[keyPath: number.path] ?? self[keyPath: number.path]
        }
    }
}
