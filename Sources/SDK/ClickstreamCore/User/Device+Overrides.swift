extension ClickstreamClient.Device {
    /// Returns the device with the properties that `overrides` sets.
    package func with(_ overrides: ClickstreamClient.Configuration.DeviceOverrides) -> ClickstreamClient.Device {
        var device = self
        func set<Value>(_ path: WritableKeyPath<ClickstreamClient.Device, Value>, _ value: Value?) {
            if let value { device[keyPath: path] = value }
        }
        set(\.app.package, overrides.appPackageName)
        set(\.app.title, overrides.appTitle)
        set(\.app.version, overrides.appVersion)
        set(\.platform, overrides.platform)
        set(\.osVersion, overrides.osVersion)
        set(\.make, overrides.make)
        set(\.brand, overrides.brand)
        set(\.model, overrides.model)
        set(\.locale, overrides.locale)
        set(\.language, overrides.language)
        set(\.country, overrides.country)
        set(\.carrier, overrides.carrier)
        set(\.networkType, overrides.networkType)
        set(\.screenWidth, overrides.screenWidth)
        set(\.screenHeight, overrides.screenHeight)
        set(\.zoneOffset, overrides.zoneOffset)
        if let deviceID = overrides.deviceID { device.deviceID = deviceID }
        set(\.advertisingID, overrides.advertisingID)
        return device
    }
}
