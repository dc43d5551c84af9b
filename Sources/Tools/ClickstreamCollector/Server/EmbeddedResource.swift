import CClickstreamResources

extension [UInt8] {
    /// Copy of a file that is embedded in the binary.
    init(_ resource: clickstream_resource) {
        self.init(UnsafeBufferPointer(start: resource.bytes, count: resource.length))
    }
}
