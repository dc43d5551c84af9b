public import ClickstreamCore

/// Settings of consent and sampling.
extension ClickstreamConfiguration {
    /// The consent that recording requires, and the treatment of events while it is undecided. Default `.notRequired`.
    /// Fixed while a client runs.
    public var consent: ClickstreamClient.Configuration.ConsentPolicy {
        get { current.consent }
        set { set { $0.consent = newValue } }
    }

    /// The maximum number of events that wait for consent; later ones are dropped and counted. Default 1 000.
    public var maxHeldEvents: Int {
        get { current.maxHeldEvents }
        set { set { $0.maxHeldEvents = max(1, newValue) } }
    }

    /// Sampled events: by name, the share of devices that record it, from 0 to 1. Names with `_` at the beginning are not
    /// sampled. Default empty.
    public var sampling: [String: Double] {
        get { current.sampling }
        set { set { $0.sampling = newValue } }
    }
}
