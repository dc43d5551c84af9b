/// Sampling of the app's events by name: of a sampled name, a device records all events or none.
///
/// The decision is a hash of the device id and the name, computed once for each name of a device.
package struct Sampler: Sendable {
    private let rates: [String: Double]
    /// The device of ``decisions``.
    private var deviceID = ""
    private var decisions: [String: Bool] = [:]

    /// - Parameter rates: by event name, the share of devices that record it, from 0 to 1.
    init(rates: [String: Double]) {
        self.rates = rates
    }

    var isEmpty: Bool { rates.isEmpty }

    func isSampled(_ name: String) -> Bool { rates[name] != nil }

    /// Verdict on one event.
    enum Verdict: Equatable {
        /// The name is not sampled.
        case unsampled
        /// Recorded, with the rate.
        case kept(rate: Double)
        case sampledOut
    }

    mutating func verdict(on name: String, deviceID: String) -> Verdict {
        guard let rate = rates[name] else { return .unsampled }
        if deviceID != self.deviceID { (self.deviceID, decisions) = (deviceID, [:]) }
        if let isKept = decisions[name] { return isKept ? .kept(rate: rate) : .sampledOut }
        let isKept = Self.position(of: name, deviceID: deviceID) < rate
        decisions[name] = isKept
        return isKept ? .kept(rate: rate) : .sampledOut
    }

    /// Position of a device in the sample of a name: uniformly distributed in 0..<1. The first 53 bits of the SHA-256 of
    /// `<device id> <name>`.
    package static func position(of name: String, deviceID: String) -> Double {
        let digest = SHA256.digest(of: Array("\(deviceID) \(name)".utf8))
        let bits = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bits >> 11) / Double(1 << 53)
    }
}
