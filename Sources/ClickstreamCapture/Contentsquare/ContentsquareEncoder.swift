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
        var object = ContentsquareObject()
        writeCommon(id: id, at: moment, in: context, to: &object)
        write(action, at: moment, to: &object)
        switch action {
        case .screen, .touch: lastAction = moment.steady
        case .start, .show, .hide, .transaction, .variable: break
        }
        return object.json
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
        to object: inout ContentsquareObject
    ) {
        let device = context.device
        let connectivity = Connectivity(networkType: device.networkType, isOnline: context.isOnline)
        object.append("upt", moment.steady)
        object.append("euid", id.description)
        object.append("url", url(in: context))
        object.append("scn", Int64(max(0, screenCount - 1)))
        object.append("c", Int64(connectivity.rawValue))
        if connectivity == .mobile, let carrier = device.carrier.nonEmptyProperty { object.append("ci", carrier) }
        object.append("o", device.screenWidth > device.screenHeight ? 1 : 0 as Int64)
        object.append("vo") { version in
            version.append("sv", SDK.version)
            version.append("sb", Int64(ContentsquareBuild.libraryNumber))
            version.append("av", device.app.version)
            version.append("af", context.build.app.rawValue)
            version.append("ab", Int64(context.build.appNumber))
        }
        object.append("sn", Int64(context.session.number))
        object.append("t", moment.wall.milliseconds)
    }

    /// The URL of the last screen; without a screen, class and title are empty.
    private func url(in context: ContentsquareContext) -> String {
        let path = (screen?.className ?? "").split(separator: "/", omittingEmptySubsequences: false)
            .map { UploadRequest.percentEncoded(String($0)) }.joined(separator: "/")
        let title = UploadRequest.percentEncoded(screen?.name ?? "")
        let platform = context.device.platform.lowercased()
        return "app-\(platform)://\(UploadRequest.percentEncoded(context.appID))/\(path)?title=\(title)"
    }

    private func write(_ action: ContentsquareAction, at moment: Moment, to object: inout ContentsquareObject) {
        object.append("ea", action.code)
        switch action {
        case .start, .show, .hide:
            break
        case .screen(let screen, let custom):
            object.append("st", screen.name)
            object.append("sl", lastAction.map { max(0, moment.steady - $0) } ?? 0)
            guard !custom.variables.isEmpty else { return }
            object.append("cv") { variables in
                for variable in custom.variables {
                    variables.append(String(variable.index)) { $0.append(variable.name, variable.value) }
                }
            }
        case .touch(let gesture, let target):
            object.append("tvp", target.path)
            object.append("tvid", target.id)
            if gesture.kind == .tap { object.append("ur", target.isResponsive) }
            guard gesture.kind == .drag || gesture.kind == .flick else { return }
            object.append("fd", Int64(gesture.direction.rawValue))
            object.append("tvd", Int64(Int(saturating: gesture.distance)))
            object.append("tvv", Int64(Int(saturating: gesture.velocity)))
        case .transaction(let transaction):
            object.append("tr") { tr in
                tr.append("vl", transaction.value)
                tr.append("cu", Int64(transaction.currency.code))
                if let id = transaction.id { tr.append("id", id) }
            }
        case .variable(let variable):
            object.append("k", variable.key)
            switch variable.value {
            case .text(let text): object.append("v", text)
            case .integer(let integer): object.append("v", integer)
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
