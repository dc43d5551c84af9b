package import ClickstreamCore

/// Encoder of events in the Contentsquare format, and the state that successive events depend on.
///
/// Keys are in the order of document 002: the common part, then the part of the event. The monotonic clock never
/// decreases from one event to the next.
package struct ContentsquareEncoder: Sendable {
    /// The last screen, also of an earlier session.
    private var screen: ContentsquareScreen?
    /// The number of screens of the session.
    private var screenCount = 0
    private var sessionNumber: Int?
    /// The monotonic time of the last touch gesture, click or screen.
    private var lastAction: Int64?

    package init() {}

    /// Encodes a captured event. Returns `nil` for one that the format does not have.
    package mutating func encode(_ event: CapturedEvent, in context: ContentsquareContext) -> [UInt8]? {
        switch event.content {
        case .touch(let gesture, let target) where gesture.kind != .unclassified:
            return encode(.touch(gesture, target), id: event.id, at: event.time, in: context)
        case .click:
            lastAction = event.time.steady
            return nil
        case .touch, .pageLoad, .pageView, .scroll, .gesture, .impressions:
            return nil
        }
    }

    /// Encodes one event as a JSON object.
    package mutating func encode(
        _ action: ContentsquareAction,
        id: UniqueID,
        at moment: Moment,
        in context: ContentsquareContext
    ) -> [UInt8] {
        enter(context.session)
        if case .screen(let current, _) = action {
            screen = current
            screenCount += 1
        }
        var writer = ObjectWriter()
        writer.object { object in
            writeCommon(id: id, at: moment, in: context, to: &object)
            write(action, at: moment, to: &object)
        }
        switch action {
        case .screen, .touch: lastAction = moment.steady
        case .start, .show, .hide, .transaction, .variable: break
        }
        return writer.bytes
    }

    private mutating func enter(_ session: Session) {
        guard session.number != sessionNumber else { return }
        sessionNumber = session.number
        screenCount = 0
    }

    private func writeCommon(
        id: UniqueID,
        at moment: Moment,
        in context: ContentsquareContext,
        to object: inout ObjectWriter
    ) {
        let device = context.device
        let connectivity = Connectivity(networkType: device.networkType, isOnline: context.isOnline)
        object.member("upt", moment.steady)
        object.member("euid", id.description)
        object.member("url", url(in: context))
        object.member("scn", max(0, screenCount - 1))
        object.member("c", connectivity.rawValue)
        if connectivity == .mobile { object.member("ci", device.carrier.nonEmptyProperty) }
        object.member("o", device.screenWidth > device.screenHeight ? 1 : 0)
        object.object("vo") { version in
            version.member("sv", SDK.version)
            version.member("sb", ContentsquareBuild.libraryNumber)
            version.member("av", device.app.version)
            version.member("af", context.build.app.rawValue)
            version.member("ab", context.build.appNumber)
        }
        object.member("sn", context.session.number)
        object.member("t", moment.wall.milliseconds)
    }

    /// The URL of the last screen; without a screen, class and title are empty.
    private func url(in context: ContentsquareContext) -> String {
        let path = (screen?.className ?? "").split(separator: "/", omittingEmptySubsequences: false)
            .map { UploadRequest.percentEncoded(String($0)) }.joined(separator: "/")
        let title = UploadRequest.percentEncoded(screen?.name ?? "")
        let platform = context.device.platform.lowercased()
        return "app-\(platform)://\(UploadRequest.percentEncoded(context.appID))/\(path)?title=\(title)"
    }

    private func write(_ action: ContentsquareAction, at moment: Moment, to object: inout ObjectWriter) {
        object.member("ea", action.code)
        switch action {
        case .start, .show, .hide:
            break
        case .screen(let screen, let custom):
            object.member("st", screen.name)
            object.member("sl", lastAction.map { max(0, moment.steady - $0) } ?? 0)
            guard !custom.variables.isEmpty else { return }
            object.object("cv") { variables in
                for variable in custom.variables {
                    variables.object(named: String(variable.index)) { $0.member(named: variable.name, variable.value) }
                }
            }
        case .touch(let gesture, let target):
            object.member("tvp", target.path)
            object.member("tvid", target.id)
            if gesture.kind == .tap { object.member("ur", target.isResponsive) }
            guard gesture.kind == .drag || gesture.kind == .flick else { return }
            object.member("fd", gesture.direction.rawValue)
            object.member("tvd", Int(saturating: gesture.distance))
            object.member("tvv", Int(saturating: gesture.velocity))
        case .transaction(let transaction):
            object.object("tr") { tr in
                tr.member("vl", transaction.value)
                tr.member("cu", transaction.currency.code)
                tr.member("id", transaction.id)
            }
        case .variable(let variable):
            object.member("k", variable.key)
            switch variable.value {
            case .text(let text): object.member("v", text)
            case .integer(let integer): object.member("v", integer)
            }
        }
    }
}

extension ContentsquareAction {
    /// The event action, `ea`.
    fileprivate var code: Int64 {
        switch self {
        case .start: 0
        case .show: 1
        case .hide: 2
        case .screen: 4
        case .touch(let gesture, _): Int64(gesture.kind.rawValue)
        case .transaction: 16
        case .variable(let variable):
            switch variable.value {
            case .text: 18
            case .integer: 19
            }
        }
    }
}

extension String {
    /// A property of a device; `nil` if it is empty or unknown.
    var nonEmptyProperty: String? {
        isEmpty || self == "UNKNOWN" ? nil : self
    }
}
