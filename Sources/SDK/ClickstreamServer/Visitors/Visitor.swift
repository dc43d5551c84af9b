public import ClickstreamCore

/// Visitor of a server: the origin of an event, such as the browser or the app that sent a request.
///
/// A plain value. A field that is `nil` or empty adds nothing to an event; nothing else about a request is recorded.
public struct Visitor: Sendable, Hashable {
    /// The identifier of the visitor's device, such as the value of a cookie: 1 to 255 bytes of UTF-8.
    ///
    /// Sent as `device_id` and as `unique_id`, by which the server distinguishes users.
    public var deviceID: String
    /// The id of the logged-in user.
    public var userID: String?
    /// Attributes of the user, sent in `user`.
    public var userAttributes: Attributes
    /// The visitor's session.
    public var session: Session?
    /// The page or screen that the visitor sees.
    public var screen: Screen?
    /// The locale, such as `de_DE`, sent unchanged.
    public var locale: String?
    /// The platform, such as `Web` or `iOS`, sent unchanged. The server stores an event without a platform as `Web`.
    public var platform: String?
    /// The header `user-agent` of the request, sent as the attribute `_user_agent`.
    public var userAgent: String?
    /// The network address of the visitor, sent as the attribute `_ip`.
    public var ip: String?

    /// Session of a visitor.
    public struct Session: Sendable, Hashable {
        /// The identifier, unique among the sessions of all visitors.
        public var id: String
        /// The ordinal of the session among those of the visitor, from 1.
        public var number: Int
        /// The start of the session.
        public var start: Timestamp

        /// Creates a session.
        public init(id: String, number: Int, start: Timestamp) {
            self.id = id
            self.number = number
            self.start = start
        }

        /// Creates a session with the identifier of the wire format: the last eight characters of the device id, and the
        /// start in UTC, such as `dc7a7a18-20230905-131926703`.
        package init(deviceID: String, number: Int, start: Timestamp) {
            self.init(id: ClickstreamCore.Session.id(uniqueID: deviceID, start: start), number: number, start: start)
        }
    }

    /// Page or screen.
    public struct Screen: Sendable, Hashable {
        /// The name, sent as `_screen_name`.
        public var name: String
        /// The id, such as the route, sent as `_screen_id`.
        public var id: String?
        /// Distinguishes screens of the same name; sent as `_screen_unique_id`.
        public var uniqueID: String?

        /// Creates a screen.
        public init(name: String, id: String? = nil, uniqueID: String? = nil) {
            self.name = name
            self.id = id
            self.uniqueID = uniqueID
        }
    }

    /// Creates a visitor. Nothing is checked here; the rules are applied when an event is recorded.
    public init(
        deviceID: String,
        userID: String? = nil,
        userAttributes: Attributes = Attributes(),
        session: Session? = nil,
        screen: Screen? = nil,
        locale: String? = nil,
        platform: String? = nil,
        userAgent: String? = nil,
        ip: String? = nil
    ) {
        self.deviceID = deviceID
        self.userID = userID
        self.userAttributes = userAttributes
        self.session = session
        self.screen = screen
        self.locale = locale
        self.platform = platform
        self.userAgent = userAgent
        self.ip = ip
    }
}

extension Visitor.Screen: ExpressibleByStringLiteral {
    /// Creates a screen with a name alone.
    public init(stringLiteral name: String) {
        self.init(name: name)
    }
}
