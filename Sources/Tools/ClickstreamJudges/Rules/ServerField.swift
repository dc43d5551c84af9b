import ClickstreamCore

/// Field of an event that the server's processing reads in a certain type.
///
/// Source: the published pipeline's schema (`data_schema_v2.json`) and the classes of its parser.
/// A field that is not in the table may hold any JSON value: the server keeps it among the custom parameters.
package struct ServerField: Sendable, Hashable {
    /// The object of an event that contains the field.
    package enum Container: String, Sendable, Hashable, CaseIterable {
        case event
        case attribute
        case item
        /// An entry of `user`; the type is that of its `value`.
        case userAttribute = "user_attribute"
    }

    package let container: Container
    package let name: String
    package let reading: Reading
    /// True for milliseconds since 1970.
    package let isTime: Bool
    /// Bytes of UTF-8 that the server keeps of a text; `nil` for a longer column, of 2 048 or 65 535 bytes, and for
    /// texts without a column.
    package let columnBytes: Int?

    /// The ``columnBytes`` of most texts.
    package static let usualColumnBytes = 255

    /// All fields, ordered by place.
    package static let all: [ServerField] = [
        fields(of: .event, .text, eventTexts),
        fields(of: .event, .integer, eventIntegers),
        fields(of: .event, .number, ["event_value"]),
        fields(of: .event, .plainNumber, ["event_value_in_usd"]),
        fields(of: .attribute, .text, attributeTexts),
        fields(of: .attribute, .truncatedInteger, [AttributeName.previousTimestamp, AttributeName.engagementTime]),
        fields(of: .attribute, .digits, sessionIntegers),
        fields(
            of: .attribute,
            .scalar,
            [AttributeName.entrances, AttributeName.isFirstTime, "_outbound"]
        ),
        fields(of: .item, .text, itemTexts),
        fields(of: .item, .scalar, [ItemName.price, ItemName.quantity]),
        fields(of: .userAttribute, .text, [AttributeName.userID, AttributeName.userName]),
        fields(of: .userAttribute, .age, [AttributeName.userAge]),
        fields(of: .userAttribute, .requiredDigits, [AttributeName.userFirstTouch]),
    ].flatMap(\.self)

    /// The fields of an event, by name.
    package static let event = fields(in: .event)
    /// The named attributes, by name.
    package static let attributes = fields(in: .attribute)
    /// The fields of an item, by name.
    package static let item = fields(in: .item)
    /// The named entries of `user`, by name. The server reads these four as objects.
    package static let user = fields(in: .userAttribute)

    /// Second names of fields. The server's parser reads both names into one field and keeps the last value.
    private static let aliases: [Container: [String: String]] = [
        .event: [
            FieldName.userPseudoID: FieldName.uniqueID, "advertising_id": FieldName.deviceUniqueID,
            FieldName.eventName: FieldName.eventType, "event_value_in_usd": "event_value",
            "currency": "event_value_currency",
        ],
        .attribute: [
            AttributeName.sessionStart: "_session_start_time_msec",
            "_app_install_source": AttributeName.appInstallChannel,
            "_install_channel": AttributeName.appInstallChannel,
        ],
        .item: ["item_id": ItemName.id, "item_name": ItemName.name],
    ]

    /// Returns the name by which the server's parser knows the field.
    static func name(of name: String, in container: Container) -> String { aliases[container]?[name] ?? name }

    /// The time at which an entry of `user` was set, a member of the entry beside its `value`.
    static let setTimestamp = ServerField(
        container: .userAttribute,
        name: "set_timestamp",
        reading: .truncatedInteger,
        isTime: true,
        columnBytes: nil
    )

    private static func fields(of container: Container, _ reading: Reading, _ names: [String]) -> [ServerField] {
        names.map { name in
            ServerField(
                container: container,
                name: name,
                reading: reading,
                isTime: times.contains(name),
                columnBytes: reading == .text ? column(of: name, in: container) : nil
            )
        }
    }

    private static func column(of name: String, in container: Container) -> Int? {
        if container == .event, currencies.contains(name) { return 32 }
        return longTexts.contains(name) ? nil : usualColumnBytes
    }

    private static func fields(in container: Container) -> [String: ServerField] {
        var fields: [String: ServerField] = [:]
        for field in all where field.container == container { fields[field.name] = field }
        return fields
    }

    /// Returns the rule that `value` violates, or `nil`: that of the field's type, then that of times.
    func rule(brokenBy value: JSONValue) -> ServerRule? {
        if let rule = reading.rule(brokenBy: value) { return rule }
        guard isTime, let time = Reading.truncated(value), TimeUnit(of: time) != nil else { return nil }
        return .timeUnit
    }

    /// True for a text of which the server keeps only the first bytes.
    func isCut(_ value: JSONValue) -> Bool {
        guard let columnBytes, let bytes = Self.bytes(of: value) else { return false }
        return bytes > columnBytes
    }

    /// Bytes of UTF-8 of a text, or of a number, which the server keeps as it is written; `nil` for any other value.
    static func bytes(of value: JSONValue) -> Int? {
        (value.string ?? value.number?.text)?.utf8.count
    }

    /// True for a text with more bytes than most columns have.
    static func isLong(_ value: JSONValue) -> Bool { bytes(of: value) ?? 0 > usualColumnBytes }

    /// The codes of the rules that a value can violate.
    var codes: [String] {
        reading.codes + (isTime ? [ServerRule.timeUnit.code] : []) + (columnBytes == nil ? [] : [ServerRule.cut.code])
    }

    // MARK: - Names

    /// Times, in milliseconds since 1970.
    private static let times: Set<String> = [
        FieldName.timestamp, "event_previous_timestamp", AttributeName.previousTimestamp, AttributeName.sessionStart,
        "_session_start_time_msec", AttributeName.userFirstTouch,
    ]

    private static let eventTexts = [
        FieldName.eventID, FieldName.appID, FieldName.uniqueID, FieldName.userPseudoID, FieldName.deviceID,
        FieldName.deviceUniqueID, "advertising_id",
        FieldName.eventType, FieldName.eventName, FieldName.platform, FieldName.osVersion, FieldName.make,
        FieldName.brand, FieldName.model, FieldName.carrier, FieldName.networkType,
        FieldName.locale, FieldName.systemLanguage, "host_name", FieldName.appVersion, FieldName.appPackageName,
        FieldName.appTitle, FieldName.sdkVersion,
        FieldName.sdkName, "event_value_currency", "currency",
    ]

    /// Texts of an event in a column of 32 bytes.
    private static let currencies: Set<String> = ["event_value_currency", "currency"]

    private static let eventIntegers = [
        FieldName.timestamp, FieldName.screenHeight, FieldName.screenWidth, FieldName.zoneOffset,
        "event_previous_timestamp", "viewport_width",
        "viewport_height",
    ]

    private static let sessionIntegers = [
        AttributeName.sessionNumber, AttributeName.sessionDuration, AttributeName.sessionStart,
        "_session_start_time_msec",
    ]

    private static let attributeTexts =
        [
            AttributeName.sessionID, AttributeName.screenName, AttributeName.screenID, AttributeName.screenUniqueID,
            AttributeName.previousScreenName, AttributeName.previousScreenID, AttributeName.previousScreenUniqueID,
            AttributeName.exceptionMessage, AttributeName.exceptionStack, AttributeName.previousAppVersion,
            AttributeName.previousOSVersion, AttributeName.errorCode, AttributeName.errorMessage,
            AttributeName.appInstallChannel, "_app_install_source", "_install_channel",
        ] + webTexts
        + [
            "source", "medium", "campaign", "content", "term", "campaign_id", "clid_platform", "clid", "channel_group",
            "category",
        ].map { "_traffic_source_" + $0 }
        + campaignTexts

    /// Texts that the published web SDK writes about its page, of any length.
    private static let webTexts = [
        "_page_referrer", "_page_referrer_title", "_page_title", "_page_url", "_latest_referrer",
        "_latest_referrer_host", "_search_key", "_search_term", "_link_classes", "_link_domain", "_link_id",
        "_link_url",
    ]

    /// Texts of a web address from which the server derives the traffic source.
    private static let campaignTexts =
        ["id", "source", "medium", "content", "term", "campaign", "source_platform"].map { "_utm_" + $0 } + ["_gclid"]

    /// Texts in longer columns, or without one.
    private static let longTexts = Set(webTexts).union([
        "host_name", AttributeName.exceptionMessage, AttributeName.exceptionStack, AttributeName.errorMessage,
        "_traffic_source_content", "_traffic_source_term", "_traffic_source_clid", "_utm_content", "_utm_term",
        "_gclid", AttributeName.userName,
    ])

    private static let itemTexts =
        ["item_id", "item_name"] + ItemName.preset.filter { $0 != ItemName.price && $0 != ItemName.quantity }
}

// MARK: - Attributes and events that the published SDKs record automatically

extension ServerField {
    /// Attributes of a crash: the manual's names, and those of the published SDKs for Apple's platforms and Android.
    private static let crashTexts: Set<String> = [
        AttributeName.exceptionMessage, AttributeName.exceptionStack, AttributeName.exceptionBreadcrumbs,
        "_exception_name", "_exception_reason", "_excepiton_stack", "exception_message", "exception_stack",
    ]

    private static let pageTexts = Set(webTexts)

    /// Returns true if the published SDKs do not apply the limit of a value to the attribute; the server cuts it.
    package static func isExemptFromLength(_ name: String, inCrash: Bool) -> Bool {
        pageTexts.contains(name) || inCrash && crashTexts.contains(name)
    }

    /// Attributes that the published SDKs add to an event automatically and do not count.
    private static let presets = crashTexts.union(pageTexts).union([
        AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionDuration,
        AttributeName.sessionNumber, AttributeName.screenName, AttributeName.screenID, AttributeName.screenUniqueID,
        AttributeName.previousScreenName, AttributeName.previousScreenID, AttributeName.previousScreenUniqueID,
        AttributeName.previousTimestamp, AttributeName.entrances, AttributeName.engagementTime,
        AttributeName.isFirstTime, AttributeName.previousAppVersion, AttributeName.previousOSVersion, "_outbound",
    ])

    /// Returns true if the published SDKs add the attribute to an event automatically and do not count it. Most of them
    /// do not count global attributes either, such as the traffic source and the app's store.
    package static func isPreset(_ name: String) -> Bool {
        presets.contains(name) || attributes[name] != nil
    }

    /// Returns true if the server reads the attribute or a published SDK writes it: not a misspelling of the app.
    package static func isKnown(_ name: String) -> Bool {
        isPreset(name)
    }

    /// Events that the published web SDK records automatically.
    package static let webEvents: Set<String> = ["_first_visit", "_page_view", "_scroll", "_click", "_search"]
}
