import ClickstreamCore

/// Rules of a visitor's values.
extension Visitor {
    /// True if no rule discards a value, the usual case. Costs a few comparisons for each value.
    var isUsual: Bool {
        guard 1...Rules.longestID ~= deviceID.utf8.count,
            Self.isUsual(userID, longest: Rules.userAttributes.longestValue), hasUsualTexts
        else { return false }
        return Validator.accepts(userAttributes: userAttributes)
    }

    /// True if the texts that are sent as attributes, or as fields of their own, are of a valid length.
    private var hasUsualTexts: Bool {
        let longest = Rules.attributes.longestValue
        return Self.isUsual(session?.id, longest: longest) && Self.isUsual(screen?.name, longest: longest)
            && Self.isUsual(screen?.id, longest: longest) && Self.isUsual(screen?.uniqueID, longest: longest)
            && Self.isUsual(locale, longest: longest) && Self.isUsual(platform, longest: longest)
            && Self.isUsual(userAgent, longest: longest) && Self.isUsual(ip, longest: longest)
    }

    private static func isUsual(_ text: String?, longest: Int) -> Bool {
        guard let text else { return true }
        return 1...longest ~= text.utf8.count
    }

    /// Returns the visitor without empty texts and without the values that a rule discards; `nil` if the device id is
    /// unusable, and no event can be attributed.
    func checked(into found: inout [Violation]) -> Visitor? {
        guard 1...Rules.longestID ~= deviceID.utf8.count else {
            found.append(
                Violation(
                    code: deviceID.isEmpty ? .userAttributeNameInvalid : .userAttributeValueTooLong,
                    severity: .error,
                    subject: .userAttribute,
                    name: FieldName.deviceID,
                    message: "The device id of a visitor must have 1 to \(Rules.longestID) bytes, "
                        + "not \(deviceID.utf8.count)."
                )
            )
            return nil
        }
        var kept = self
        if let id = userID, let violation = id.isEmpty ? nil : Validator.checkUserID(id) {
            found.append(violation)
            kept.userID = nil
        }
        if kept.userID?.isEmpty == true { kept.userID = nil }
        kept.userAttributes = Validator.checkUserAttributes(
            userAttributes,
            existingNames: EmptyCollection<String>(),
            into: &found
        )
        func check(_ text: inout String?, _ name: String) {
            guard let value = text else { return }
            if value.isEmpty {
                text = nil
                return
            }
            guard let violation = Validator.violation(name, .string(value), Rules.attributes) else { return }
            found.append(violation)
            text = nil
        }
        var (sessionID, screenName) = (session?.id, screen?.name)
        check(&sessionID, AttributeName.sessionID)
        if sessionID == nil { kept.session = nil }
        check(&screenName, AttributeName.screenName)
        if screenName == nil { kept.screen = nil }
        if var screen = kept.screen {
            check(&screen.id, AttributeName.screenID)
            check(&screen.uniqueID, AttributeName.screenUniqueID)
            kept.screen = screen
        }
        check(&kept.locale, FieldName.locale)
        check(&kept.platform, FieldName.platform)
        check(&kept.userAgent, AttributeName.userAgent)
        check(&kept.ip, AttributeName.ip)
        return kept
    }
}
