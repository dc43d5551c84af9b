/// Values that every event carries: app, device, user, session, screen, global attributes and visibility.
///
/// Each part is a property; setting one prepares its JSON and increments ``revision``, the single notification that values
/// derived from the context are out of date. Reading costs nothing per event.
struct EventContext: Sendable {
    let appID: String
    private(set) var device: ClickstreamClient.Device
    /// The zone whose offset from GMT events have.
    var zone: LocalZone
    /// `device_id` of events: the device's own, or the stored one.
    var deviceID: String { didSet { changed(.device) } }
    var user: User { didSet { changed(.user) } }
    /// False if events other than `_profile_set` carry the user without attributes.
    var sendsUserAttributes: Bool { didSet { changed(.user) } }
    /// Purposes whose data events carry.
    var allowedPurposes: [ConsentPurpose] { didSet { if allowedPurposes != oldValue { changed(.user) } } }
    var session: Session { didSet { changed(.session) } }
    var screen: Screen? { didSet { changed(.screen) } }
    var globals: GlobalAttributes { didSet { changed(.globals) } }
    /// True if events are recorded in the foreground.
    var isActive: Bool { didSet { changed(.activity) } }
    /// User of the next events instead of ``user``. Not a change: the caller sets it to `nil` afterwards.
    var actingUser: User? { didSet { prepareUser() } }
    /// Encoder with the prepared JSON of all parts.
    private(set) var writer: EventWriter
    /// Number of changes so far.
    private(set) var revision = 0

    private enum Part {
        case device
        case user
        case session
        case screen
        case globals
        case activity
    }

    init(
        appID: String,
        device: ClickstreamClient.Device,
        zone: LocalZone = .fixed,
        deviceID: String,
        user: User,
        sendsUserAttributes: Bool,
        allowedPurposes: [ConsentPurpose] = ConsentPurpose.allCases,
        session: Session,
        globals: GlobalAttributes = GlobalAttributes(),
        isActive: Bool
    ) {
        self.appID = appID
        self.device = device
        self.zone = zone
        self.deviceID = deviceID
        self.user = user
        self.sendsUserAttributes = sendsUserAttributes
        self.allowedPurposes = allowedPurposes
        self.session = session
        self.globals = globals
        self.isActive = isActive
        writer = EventWriter(session: session)
        writer.prepare(appID: appID, device: device, deviceID: deviceID)
        prepareUser()
        writer.prepare(session: session)
    }

    /// Replaces the device; the identifier stays if the new value has none.
    mutating func take(_ changed: ClickstreamClient.Device) {
        device = changed
        deviceID = changed.deviceID ?? deviceID
    }

    /// Brings the offset from GMT up to date with the time of an event. Costs two comparisons, except once per quarter of an
    /// hour.
    @inline(__always)
    mutating func followZone(at time: Timestamp) {
        if !zone.isKnown(at: time) { readZone(at: time) }
    }

    @inline(never)
    private mutating func readZone(at time: Timestamp) {
        guard let offset = zone.read(at: time), offset != device.zoneOffset else { return }
        var changed = device
        changed.zoneOffset = offset
        take(changed)
    }

    private mutating func changed(_ part: Part) {
        revision &+= 1
        switch part {
        case .device: writer.prepare(appID: appID, device: device, deviceID: deviceID)
        case .user: prepareUser()
        case .session: writer.prepare(session: session)
        case .screen: writer.prepare(screen: screen)
        case .globals, .activity: break
        }
    }

    private mutating func prepareUser() {
        var user = actingUser ?? user
        if !allowedPurposes.contains(.personalization) { user = user.anonymous }
        writer.prepare(user: user, attributesInEveryEvent: sendsUserAttributes)
    }
}
