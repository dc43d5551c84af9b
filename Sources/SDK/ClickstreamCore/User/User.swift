/// User of the device, logged in or anonymous: the content of the wire format's `user` object.
package struct User: Sendable, Equatable {
    /// The identifier of the user, independent of a login.
    package var uniqueID: String
    /// The user id set by the app; `nil` if no user is logged in.
    package var login: Login?
    package var firstTouch: Timestamp
    package var attributes: [Attribute] = []

    /// User id with the time of the login.
    package struct Login: Sendable, Equatable {
        package var id: String
        package var set: Timestamp

        package init(id: String, set: Timestamp) {
            self.id = id
            self.set = set
        }

        package static func == (one: Login, other: Login) -> Bool {
            one.set == other.set && Characters.areSame(one.id, other.id)
        }
    }

    /// Attribute with the time it was set.
    package struct Attribute: Sendable, Equatable {
        package var name: String
        package var value: AttributeValue
        package var set: Timestamp

        package init(name: String, value: AttributeValue, set: Timestamp) {
            self.name = name
            self.value = value
            self.set = set
        }
    }

    package init(uniqueID: String, login: Login? = nil, firstTouch: Timestamp, attributes: [Attribute] = []) {
        self.uniqueID = uniqueID
        self.login = login
        self.firstTouch = firstTouch
        self.attributes = attributes
    }

    /// True if the user is logged in or has attributes.
    package var hasProfile: Bool { login != nil || !attributes.isEmpty }

    /// The user without user id and attributes, as events without consent to personalization carry it.
    package var anonymous: User { User(uniqueID: uniqueID, firstTouch: firstTouch) }

    /// Sets attributes: in place if the name exists, at the end otherwise.
    package mutating func set(_ values: Attributes, at time: Timestamp) {
        for element in values {
            let attribute = Attribute(name: element.name, value: element.value, set: time)
            if let index = attributes.firstIndex(where: { $0.name == element.name }) {
                attributes[index] = attribute
            } else {
                attributes.append(attribute)
            }
        }
    }
}
