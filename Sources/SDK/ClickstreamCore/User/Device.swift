extension ClickstreamClient {
    /// Properties of the machine and the app that are part of every event.
    ///
    /// A plain value, filled in per platform (`HostDevice` on Linux, the platform's frameworks elsewhere).
    public struct Device: Sendable, Hashable {
        /// The operating system, such as `Linux` or `iOS`.
        public var platform: String
        /// The version of the system.
        public var osVersion: String
        /// The manufacturer.
        public var make: String
        /// The brand.
        public var brand: String
        /// The model.
        public var model: String
        /// The locale identifier, such as `en_US`.
        public var locale: String
        /// The language code, such as `en`.
        public var language: String
        /// The country code, such as `US`.
        public var country: String
        /// The mobile carrier.
        public var carrier: String
        /// The network type: `WIFI`, `Mobile` or `UNKNOWN`.
        public var networkType: String
        /// The screen width in pixels; 0 if unknown.
        public var screenWidth: Int
        /// The screen height in pixels; 0 if unknown.
        public var screenHeight: Int
        /// The offset from GMT in milliseconds, positive to the east, daylight saving time included.
        public var zoneOffset: Int
        /// The platform's device identifier; if `nil`, a random id is generated and kept in the store.
        public var deviceID: String?
        /// The advertising id, or an empty string.
        public var advertisingID: String
        /// The properties of the app.
        public var app: App

        /// Properties of the app.
        public struct App: Sendable, Hashable {
            /// The bundle identifier, such as `com.company.app`.
            public var package: String
            /// The display name.
            public var title: String
            /// The version, compared at each launch to detect an update.
            public var version: String

            /// Creates the properties of an app; an empty string means unknown.
            public init(package: String = "", title: String = "", version: String = "") {
                self.package = package
                self.title = title
                self.version = version
            }
        }

        /// Creates a device; defaults are the values that the wire format uses for unknown properties.
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
}
