import ClickstreamCore

/// Properties of the app, the device and its user that are sent with every event. `nil` keeps what the machine reports, or
/// the id in the store; read by the launch, fixed while a client runs.
extension ClickstreamConfiguration {
    /// The app's version, sent as `app_version`. A change between two launches records `_app_update`. Without it, Linux
    /// apps have none.
    public var appVersion: String? {
        get { current.device.appVersion }
        set { set { $0.device.appVersion = newValue } }
    }

    /// The app's display name, sent as `app_title`. Default on Linux: the name of the executable.
    public var appTitle: String? {
        get { current.device.appTitle }
        set { set { $0.device.appTitle = newValue } }
    }

    /// The app's identifier, sent as `app_package_name`. Default on Linux: the name of the executable.
    public var appPackageName: String? {
        get { current.device.appPackageName }
        set { set { $0.device.appPackageName = newValue } }
    }

    /// The operating system, sent as `platform`.
    public var platform: String? {
        get { current.device.platform }
        set { set { $0.device.platform = newValue } }
    }

    /// The version of the system, sent as `os_version`. A change between two launches records `_os_update`.
    public var osVersion: String? {
        get { current.device.osVersion }
        set { set { $0.device.osVersion = newValue } }
    }

    /// The manufacturer, sent as `make`.
    public var deviceMake: String? {
        get { current.device.make }
        set { set { $0.device.make = newValue } }
    }

    /// The brand, sent as `brand`.
    public var deviceBrand: String? {
        get { current.device.brand }
        set { set { $0.device.brand = newValue } }
    }

    /// The model, sent as `model`.
    public var deviceModel: String? {
        get { current.device.model }
        set { set { $0.device.model = newValue } }
    }

    /// The locale identifier, such as `en_US`, sent as `locale`.
    public var locale: String? {
        get { current.device.locale }
        set { set { $0.device.locale = newValue } }
    }

    /// The language code, such as `en`, sent as `system_language`.
    public var systemLanguage: String? {
        get { current.device.language }
        set { set { $0.device.language = newValue } }
    }

    /// The country code, such as `US`, sent as `country_code`.
    public var countryCode: String? {
        get { current.device.country }
        set { set { $0.device.country = newValue } }
    }

    /// The mobile carrier, sent as `carrier`.
    public var carrier: String? {
        get { current.device.carrier }
        set { set { $0.device.carrier = newValue } }
    }

    /// The network type, `WIFI`, `Mobile` or `UNKNOWN`, sent as `network_type`.
    public var networkType: String? {
        get { current.device.networkType }
        set { set { $0.device.networkType = newValue } }
    }

    /// The screen width in pixels, sent as `screen_width`.
    public var screenWidth: Int? {
        get { current.device.screenWidth }
        set { set { $0.device.screenWidth = newValue.map { max(1, $0) } } }
    }

    /// The screen height in pixels, sent as `screen_height`.
    public var screenHeight: Int? {
        get { current.device.screenHeight }
        set { set { $0.device.screenHeight = newValue.map { max(1, $0) } } }
    }

    /// The offset from GMT in milliseconds, positive to the east, sent as `zone_offset`.
    public var zoneOffset: Int? {
        get { current.device.zoneOffset }
        set { set { $0.device.zoneOffset = newValue.map { min(max(-43_200_000, $0), 50_400_000) } } }
    }

    /// The device identifier, sent as `device_id`, in place of the random one in the store.
    public var deviceId: String? {
        get { current.device.deviceID }
        set { set { $0.device.deviceID = newValue } }
    }

    /// The identifier of the person or device, sent as `unique_id` while no user is logged in, in place of the random one in
    /// the store; 1 to 255 bytes. For containers without a volume, which lose their store, and for kiosks.
    public var uniqueId: String? {
        get { current.uniqueID }
        set { set { $0.uniqueID = newValue } }
    }

    /// The advertising id, sent as `device_unique_id`.
    public var advertisingId: String? {
        get { current.device.advertisingID }
        set { set { $0.device.advertisingID = newValue } }
    }

    // MARK: Chained calls

    /// Sets any property: `ClickstreamConfiguration().with(\.deviceModel, "Kiosk 7")`.
    @discardableResult
    public func with<Value>(
        _ property: ReferenceWritableKeyPath<ClickstreamConfiguration, Value>,
        _ value: Value
    ) -> ClickstreamConfiguration {
        self[keyPath: property] = value
        return self
    }
}
