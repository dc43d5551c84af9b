extension ClickstreamClient.Configuration {
    /// Device and app properties that the configuration sets in place of the machine's.
    ///
    /// `nil` keeps the property of the machine. Set before the launch; a property that is set here is not changed by
    /// ``ClickstreamClient/updateDevice(_:)``.
    package struct DeviceOverrides: Sendable, Hashable {
        /// The app's bundle identifier, such as `com.company.app`.
        package var appPackageName: String?
        /// The app's display name.
        package var appTitle: String?
        /// The app's version, compared at each launch to detect an update.
        package var appVersion: String?
        /// The operating system, such as `Linux`.
        package var platform: String?
        /// The version of the system, compared at each launch to detect an update.
        package var osVersion: String?
        /// The manufacturer.
        package var make: String?
        /// The brand.
        package var brand: String?
        /// The model.
        package var model: String?
        /// The locale identifier, such as `en_US`.
        package var locale: String?
        /// The language code, such as `en`.
        package var language: String?
        /// The country code, such as `US`.
        package var country: String?
        /// The mobile carrier.
        package var carrier: String?
        /// The network type: `WIFI`, `Mobile` or `UNKNOWN`.
        package var networkType: String?
        /// The screen width in pixels.
        package var screenWidth: Int?
        /// The screen height in pixels.
        package var screenHeight: Int?
        /// The offset from GMT in milliseconds, positive to the east.
        package var zoneOffset: Int?
        /// The device identifier, in place of the random one in the store.
        package var deviceID: String?
        /// The advertising id.
        package var advertisingID: String?

        /// Creates overrides that keep every property of the machine.
        package init() {}
    }
}

extension ConfigurationKey {
    /// Keys of properties of the app, the device and its user, which otherwise are the machine's or the store's.
    static let deviceKeys: [ConfigurationKey] = [
        ofLaunch("appVersion", .optionalText(\.device.appVersion), "Sent as app_version, in place of the app's."),
        ofLaunch(
            "appTitle",
            .optionalText(\.device.appTitle),
            "Sent as app_title, in place of the app's.",
            isFreeText: true
        ),
        ofLaunch(
            "appPackageName",
            .optionalText(\.device.appPackageName),
            "Sent as app_package_name, in place of the app's."
        ),
        ofLaunch("platform", .optionalText(\.device.platform), "Sent as platform, in place of the device's."),
        ofLaunch("osVersion", .optionalText(\.device.osVersion), "Sent as os_version, in place of the device's."),
        ofLaunch(
            "deviceMake",
            .optionalText(\.device.make),
            "Sent as make, in place of the device's.",
            isFreeText: true
        ),
        ofLaunch(
            "deviceBrand",
            .optionalText(\.device.brand),
            "Sent as brand, in place of the device's.",
            isFreeText: true
        ),
        ofLaunch(
            "deviceModel",
            .optionalText(\.device.model),
            "Sent as model, in place of the device's.",
            isFreeText: true
        ),
        ofLaunch("locale", .optionalText(\.device.locale), "Sent as locale, in place of the device's."),
        ofLaunch(
            "systemLanguage",
            .optionalText(\.device.language),
            "Sent as system_language, in place of the device's."
        ),
        ofLaunch("countryCode", .optionalText(\.device.country), "Sent as country_code, in place of the device's."),
        ofLaunch(
            "carrier",
            .optionalText(\.device.carrier),
            "Sent as carrier, in place of the device's.",
            isFreeText: true
        ),
        ofLaunch("networkType", .optionalText(\.device.networkType), "Sent as network_type, in place of the device's."),
        ofLaunch(
            "screenWidth",
            .optionalCount(\.device.screenWidth),
            "Sent as screen_width, in place of the device's."
        ),
        ofLaunch(
            "screenHeight",
            .optionalCount(\.device.screenHeight),
            "Sent as screen_height, in place of the device's."
        ),
        ofLaunch("zoneOffset", .zoneOffset, "Milliseconds. Sent as zone_offset, in place of the device's."),
        ofLaunch(
            "deviceId",
            .optionalText(\.device.deviceID),
            "Sent as device_id, in place of the random one in the store.",
            isSecret: true
        ),
        ofLaunch(
            "uniqueId",
            .optionalText(\.uniqueID),
            "Sent as unique_id while no user is logged in, in place of the random one in the store.",
            isSecret: true
        ),
        ofLaunch(
            "advertisingId",
            .optionalText(\.device.advertisingID),
            "Sent as device_unique_id, in place of the device's.",
            isSecret: true
        ),
    ]

    /// A key that is read by the launch.
    private static func ofLaunch(
        _ name: String,
        _ form: Form,
        _ summary: String,
        isSecret: Bool = false,
        isFreeText: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(name, form, summary, isFixed: true, isSecret: isSecret, isFreeText: isFreeText)
    }
}
