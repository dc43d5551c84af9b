import ClickstreamCore

/// The facade's client, or, before there is one, what was asked of it.
struct FacadeState: Sendable {
    typealias Call = @Sendable (inout Recorder, Moment) -> Void

    /// The most calls that are held before the start; later ones are lost, counted and said.
    static let mostHeld = 1_000

    private(set) var client: ClickstreamClient?
    private var held: [(call: Call, moment: Moment)] = []
    private var lost = 0

    mutating func hold(_ call: @escaping Call) {
        if held.count < Self.mostHeld {
            held.append((call, SystemTime().now()))
        } else {
            lost += 1
        }
    }

    /// The client runs: what was held takes effect now, in order, with its own time.
    mutating func start(_ client: ClickstreamClient) {
        self.client = client
        for (call, moment) in held { client.perform(at: moment, call) }
        if lost > 0 {
            client.note(.warning("\(lost) calls before initSDK were lost: at most \(Self.mostHeld) are held."))
        }
        held = []
        lost = 0
    }
}
