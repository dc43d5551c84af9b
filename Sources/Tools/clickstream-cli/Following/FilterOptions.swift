import ArgumentParser
import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

/// Filters on a collector's events, those of the query API: an event has to match every given one.
struct FilterOptions: ParsableArguments {
    @Option(help: "Only events of this name.")
    var name: String?

    @Option(help: "Only events of this session.")
    var session: String?

    @Option(help: "Only events of this user: a user id or a unique id.")
    var user: String?

    @Option(name: .customLong("app-id"), help: "Only events of this app.")
    var app: String?

    @Option(help: "Only events of this device: a device_id.")
    var device: String?

    @Option(help: "Only events of this platform, such as iOS.")
    var platform: String?

    @Option(name: .customLong("app-version"), help: "Only events of this version of the app.")
    var version: String?

    @Option(help: "Only events on the screen of this name.")
    var screen: String?

    @Option(help: "Only good or only bad events.")
    var status: StatusOption?

    @Option(
        help: "Only events with this code, such as 2003, etl_future or plan_range.",
        completion: .list(ExplainCommand.codes)
    )
    var code: String?

    @Option(help: "Only events received since then: a date, or an age such as 10m.")
    var since: TimeOption?

    @Option(help: "Only events received before then: a date, or an age such as 10m.")
    var until: TimeOption?

    func validate() throws {
        for text in texts { try ValidationError.refuseEmpty(text.option, text.value, name: text.noun) }
        try ValidationError.refuseEmptyRange(since, until)
    }

    /// Options with a text, with the kind of thing that each names.
    private var texts: [(option: String, value: String?, noun: String)] {
        [
            ("--name", name, "an event"), ("--session", session, "a session"), ("--user", user, "a user"),
            ("--app-id", app, "an app"), ("--device", device, "a device"), ("--platform", platform, "a platform"),
            ("--app-version", version, "a version"), ("--screen", screen, "a screen"), ("--code", code, "a code"),
        ]
    }

    /// The given options but those of the time.
    var given: [String] {
        texts.filter { $0.value != nil }.map { $0.option } + (status == nil ? [] : ["--status"])
    }

    /// Refuses options by which no event of a captured format is found.
    /// - Parameter form: the format; `nil` for clickstream events, which all options find.
    func refuse(for form: CapturedFormat?) throws {
        let options = given.filter { !["--name", "--code", "--status"].contains($0) }
        guard let form, !options.isEmpty else { return }
        var message =
            "--form \(form.rawValue) cannot be combined with \(String.list(options, "or")), by which only clickstream events "
            + "are found"
        if form == .audit, user != nil {
            message += "; the user of an audit event is one of its metadata, which --format json prints"
        }
        throw ValidationError(message)
    }

    /// Refuses a code that no finding has.
    func checkCode() throws {
        if let code, !ExplainCommand.codes.contains(code) { throw ExplainCommand.unknown(code) }
    }

    /// The query with these filters.
    /// - Parameter form: format of the events; `nil` for all.
    func query(_ form: CapturedFormat?) -> EventQuery {
        let filter = EventFilter(
            name: name,
            session: session,
            user: user,
            app: app,
            device: device,
            platform: platform,
            version: version,
            screen: screen,
            status: status?.status,
            code: code,
            since: since?.time,
            until: until?.time
        )
        return EventQuery(filter: filter, form: form)
    }
}
