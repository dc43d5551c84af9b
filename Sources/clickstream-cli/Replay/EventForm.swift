#if Tools
import ArgumentParser

/// Format of printed events; the raw value is the name of the wire format.
enum EventForm: String, ExpressibleByArgument, CaseIterable, Sendable {
    case clickstream
    case pulse
    case contentsquare
}
#endif
