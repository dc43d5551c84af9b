/// Properties of the machine and the app that are part of every event.
///
/// A plain value, filled in per platform (`HostDevice` on Linux, the platform's frameworks elsewhere).
public struct Device: Sendable, Hashable {
    /// `Linux`, `iOS`, …
    public var platform: String
    public var osVersion: String
    public var make: String
    public var brand: String
    public var model: String
    /// An identifier such as `en_US`.
    public var locale: String
    public var language: String
    public var country: String
    public var carrier: String
    /// `WIFI`, `Mobile` or `UNKNOWN`.
    public var networkType: String
    /// Pixels.
    public var screenWidth: Int
    /// Pixels.
    public var screenHeight: Int
    /// The offset from GMT in milliseconds, positive to the east, daylight saving time included.
    public var zoneOffset: Int
    /// The platform's device identifier; if `nil`, a random id is generated and kept in the store.
    public var deviceID: String?
    /// The advertising id, or an empty string.
    public var advertisingID: String
    public var app: App

    /// Properties of the app.
    public struct App: Sendable, Hashable {
        /// The bundle identifier, such as `com.company.app`.
        public var package: String
        public var title: String
        public var version: String

        public init(package: String = "", title: String = "", version: String = "") {
            self.package = package
            self.title = title
            self.version = version
        }
    }

    public init(
        platform: String,
        osVersion: String = "",
        make: String = "",
        brand: String = "",
        model: String = "",
        locale: String = "",
        language: String = "UNKNOWN",
        country: String = "UNKNOWN",
        carrier: String = "UNKNOWN",
        networkType: String = "UNKNOWN",
        screenWidth: Int = 0,
        screenHeight: Int = 0,
        zoneOffset: Int = 0,
        deviceID: String? = nil,
        advertisingID: String = "",
        app: App = App()
    ) {
        self.platform = platform
        self.osVersion = osVersion
        self.make = make
        self.brand = brand
        self.model = model
        self.locale = locale
        self.language = language
        self.country = country
        self.carrier = carrier
        self.networkType = networkType
        self.screenWidth = screenWidth
        self.screenHeight = screenHeight
        self.zoneOffset = zoneOffset
        self.deviceID = deviceID
        self.advertisingID = advertisingID
        self.app = app
    }
}
