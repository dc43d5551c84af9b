extension Screen {
    /// Returns the unique id of a screen without one: ten digits derived from the name.
    package static func derivedUniqueID(of name: String) -> String {
        String(1_000_000_000 + Checksum.fnv1a(name) % 9_000_000_000)
    }
}
