/// Numbers of events and of distinct users by value, from pairs of the number of a value and that of a user.
///
/// Takes 8 bytes an event and 8 more while it sorts, 24 bytes a value, and time linear in their number: nothing is hashed.
struct EventCount: Sendable {
    /// Counts of one value.
    struct Group: Sendable, Hashable {
        /// Number of the value; 0 for events without it.
        var value: UInt32
        var events: Int
        /// Number of distinct known users.
        var users: Int
    }

    /// Each event as the number of its value, then that of its user in the lower half.
    private var pairs: [UInt64] = []

    /// Number of events.
    var events: Int { pairs.count }

    /// Adds an event.
    /// - Parameters:
    ///   - value: number of its value; 0 for none.
    ///   - user: number of its user; 0 for an unknown one, which is not counted as a user.
    mutating func add(value: UInt32, user: UInt32) {
        pairs.append(UInt64(value) << 32 | UInt64(user))
    }

    /// Counts the events so far.
    /// - Returns: the groups in the order of their numbers, and the number of distinct users in all of them.
    mutating func counts() -> (groups: [Group], users: Int) {
        pairs.radixSort { $0 & 0xFFFF_FFFF }
        var users = 0
        var last: UInt32 = 0
        for pair in pairs {
            let user = UInt32(truncatingIfNeeded: pair)
            if user != last { users += 1 }
            last = user
        }
        // The order by user remains within each value.
        pairs.radixSort { $0 >> 32 }
        var groups: [Group] = []
        for pair in pairs {
            let value = UInt32(truncatingIfNeeded: pair >> 32)
            let user = UInt32(truncatingIfNeeded: pair)
            if groups.last?.value != value {
                groups.append(Group(value: value, events: 0, users: 0))
                last = 0
            }
            groups[groups.count - 1].events += 1
            if user != last { groups[groups.count - 1].users += 1 }
            last = user
        }
        return (groups, users)
    }
}
