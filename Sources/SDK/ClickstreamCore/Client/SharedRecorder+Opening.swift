extension SharedRecorder {
    /// Opens the store of a client, and begins to record as `role`.
    convenience init(in world: ClickstreamClient.World, as role: ClientRole) throws(StoreError) {
        let dependencies = world.dependencies
        let recorder = Recorder(
            configuration: world.configuration,
            device: world.device,
            zone: LocalZone(dependencies.device),
            ids: dependencies.ids,
            store: try Self.openStore(in: world, as: role),
            launches: role.launches,
            records: role.records,
            observesLines: world.observe != nil,
            crashes: dependencies.crashes,
            at: dependencies.time.now()
        )
        self.init(recorder, time: dependencies.time, observe: world.observe)
    }

    private static func openStore(
        in world: ClickstreamClient.World,
        as role: ClientRole
    ) throws(StoreError) -> EventStore {
        let (files, destination) = (world.dependencies.files, Destination(world.configuration))
        let limits = QueueLimits(world.configuration)
        func open(runAfter last: Int?, adopts: Bool) throws(StoreError) -> EventStore {
            try EventStore(
                files: files,
                root: world.storage,
                destination: destination,
                limits: limits,
                runAfter: last,
                adopts: adopts
            )
        }
        switch role {
        case .app(let goesToMemory):
            return try EventStore.opened(
                files: files,
                root: world.storage,
                destination: destination,
                limits: limits,
                goesToMemory: goesToMemory
            )
        case .recording(let last):
            return try open(runAfter: last, adopts: world.dependencies.transport != nil)
        case .delivery:
            return try open(runAfter: nil, adopts: true)
        }
    }
}
