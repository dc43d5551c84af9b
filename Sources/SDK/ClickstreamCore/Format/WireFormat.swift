/// Form in which a kind of server accepts events: the limits of a batch, its encoding, the request, the meaning of a reply.
///
/// A value of the destination. The module that defines a format passes it to the client; Core defines the clickstream format
/// alone. Stored events already are in the format of their queue: an event is encoded once for each format, when it is
/// recorded. All calls are per batch.
package protocol WireFormat: Sendable {
    /// Name of the format. Constant: the queues of the format are stored under this name.
    var name: FormatName { get }
    /// True if the events of one process are delivered before those of the next; by default they are interleaved by age.
    var isSequential: Bool { get }
    /// Returns the limits and the encoding of the next batch.
    func batch(_ configuration: ClickstreamClient.Configuration) -> BatchForm
    /// Builds the request for a batch. A retry differs in what depends on the time of the attempt.
    func request(for batch: Batch, _ attempt: DeliveryAttempt) -> UploadRequest
    /// Returns the meaning of a reply, or of the lack of one.
    /// - Parameter now: the wall clock.
    func verdict(on result: Result<UploadResponse, TransportError>, at now: Timestamp) -> DeliveryVerdict
}

extension WireFormat {
    package var isSequential: Bool { false }

    package func verdict(on result: Result<UploadResponse, TransportError>, at now: Timestamp) -> DeliveryVerdict {
        DeliveryVerdict(result, now: now)
    }
}

/// Limits and encoding of a batch. The events are a JSON array; the request may add bytes around it.
package struct BatchForm: Sendable, Equatable {
    /// Encoding of the array.
    package enum Encoding: Sendable, Equatable {
        case plain
        case gzip
        /// Base64 of gzip.
        case gzipText
    }

    package var encoding: Encoding
    /// Bytes that the request adds to the array, at most.
    package var addedBytes: Int
    /// Events of a batch, at most.
    package var maxEvents: Int
    /// True if all events of a batch have the same ``PartitionKey``.
    package var isPartitioned: Bool

    package init(encoding: Encoding, addedBytes: Int = 0, maxEvents: Int = .max, isPartitioned: Bool = false) {
        self.encoding = encoding
        self.addedBytes = addedBytes
        self.maxEvents = maxEvents
        self.isPartitioned = isPartitioned
    }
}

/// State of the client at an attempt to send a batch.
package struct DeliveryAttempt: Sendable {
    /// The valid endpoint of `destination`.
    package var endpoint: Endpoint
    package var destination: Destination
    package var configuration: ClickstreamClient.Configuration
    package var device: ClickstreamClient.Device
    /// Number of the batch, unchanged on retries.
    package var bundleSequenceID: Int64
    /// Key of the batch's events; `nil` unless the format has partitions.
    package var partition: PartitionKey?
    /// Time of this attempt.
    package var time: Timestamp

    package init(
        endpoint: Endpoint,
        destination: Destination,
        configuration: ClickstreamClient.Configuration,
        device: ClickstreamClient.Device,
        bundleSequenceID: Int64,
        partition: PartitionKey? = nil,
        time: Timestamp
    ) {
        self.endpoint = endpoint
        self.destination = destination
        self.configuration = configuration
        self.device = device
        self.bundleSequenceID = bundleSequenceID
        self.partition = partition
        self.time = time
    }
}
