extension Configuration {
    /// Device and app properties that the configuration sets in place of the machine's.
    ///
    /// `nil` keeps the property of the machine. Set before the launch; a property that is set here is not changed by
    /// ``ClickstreamClient/updateDevice(_:)``.
    public struct DeviceOverrides: Sendable, Hashable {
        /// The app's bundle identifier, such as `com.company.app`.
        public var appPackageName: String?
        /// The app's display name.
        public var appTitle: String?
        /// The app's version, compared at each launch to detect an update.
        public var appVersion: String?
        /// The operating system, such as `Linux`.
        public var platform: String?
        /// The version of the system, compared at each launch to detect an update.
        public var osVersion: String?
        /// The manufacturer.
        public var make: String?
        /// The brand.
        public var brand: String?
        /// The model.
        public var model: String?
        /// The locale identifier, such as `en_US`.
        public var locale: String?
        /// The language code, such as `en`.
        public var language: String?
        /// The country code, such as `US`.
        public var country: String?
        /// The mobile carrier.
        public var carrier: String?
        /// The network type: `WIFI`, `Mobile` or `UNKNOWN`.
        public var networkType: String?
        /// The screen width in pixels.
        public var screenWidth: Int?
        /// The screen height in pixels.
        public var screenHeight: Int?
        /// The offset from GMT in milliseconds, positive to the east.
        public var zoneOffset: Int?
        /// The device identifier, in place of the random one in the store.
        public var deviceID: String?
        /// The advertising id.
        public var advertisingID: String?

        /// Creates overrides that keep every property of the machine.
        public init() {}
    }
}
