#if Tools
import ArgumentParser
import ClickstreamTools

/// Format of events on the command line; the raw value is the name of the wire format.
extension EventForm: ExpressibleByArgument {}
#endif
