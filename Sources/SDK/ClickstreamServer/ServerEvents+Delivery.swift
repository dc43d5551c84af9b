public import ClickstreamCore

extension ServerEvents {
    // MARK: Delivery

    /// Begins to send the queue, and returns at once.
    public func flushEvents() {
        guard isOurs else { return }
        delivery.flushSoon()
    }

    /// Sends the queue, and returns a report. Joins a flush that is in progress, and reports what it sends until the return.
    ///
    /// - Parameter deadline: the time after which the call returns and no further request is made; `nil` for no deadline. A
    ///   current request continues, since it would be sent twice if it were cut off.
    public func flush(deadline: Duration? = nil) async -> FlushReport {
        guard isOurs else { return FlushReport() }
        return await delivery.flush(deadline: deadline)
    }

    /// Graceful shutdown: sends the queue within the deadline, stores the rest for the next process, and closes the store.
    ///
    /// Events that other threads record until the store is closed are stored; later ones are counted as disabled, in a ledger
    /// on the disk before their calls return. A second call has no effect.
    /// - Parameter deadline: the time after which no request begins. A request in progress then is awaited, for the
    ///   `requestTimeout` of the configuration at most, since the next process would send it again if it were cut off; an
    ///   attempt to connect ends at the deadline.
    public func shutdown(deadline: Duration) async -> FlushReport {
        guard isOurs else { return FlushReport() }
        timer.stop()
        let report = await delivery.flushLast(deadline: deadline)
        terminate()
        return report
    }

    /// Closes the store without sending; a request in progress is cancelled, and the next process sends it again. Later events
    /// are refused, and counted as disabled, as by ``shutdown(deadline:)``.
    public func terminate() {
        guard isOurs else { return }
        timer.stop()
        synchronizer?.stop()
        delivery.stop()
        for shard in shards { shard.terminate() }
    }

    /// Ends the recorder as `kill -9` would: stores and sends nothing.
    package func kill() {
        guard isOurs else { return }
        timer.stop()
        synchronizer?.stop()
        delivery.stop()
        for shard in shards { shard.kill() }
    }

    /// Sets the timer of the next automatic flush, unless it is set. Costs one load of an atomic for each event.
    func armTimer() {
        guard timer.isIdle else { return }
        timer.arm(after: settings.withLock { $0.configuration.sendInterval.wholeMilliseconds }) { [weak self] in
            guard let self else { return }
            if await !delivery.flushUnlessRunning() { armTimer() }
        }
    }

    /// With the durability of power, flushes recorded events to the physical disk: once per interval, outside the locks.
    func synchronizeSoon() {
        guard let synchronizer else { return }
        let interval = max(1, settings.withLock { $0.configuration.synchronizeInterval.wholeMilliseconds })
        synchronizer.arm(after: interval) { [weak self] in
            guard let self else { return }
            let errors = shards.flatMap(\.filesToSynchronize).synchronizeAll()
            if errors.isEmpty { return }
            outbox.post(errors.map { .warning(.init(.notSynchronized, "\($0)")) }, printsEvents: false)
        }
    }

    // MARK: Settings

    /// The current configuration.
    public var configuration: ClickstreamClient.Configuration { settings.withLock { $0.configuration } }

    /// Changes the configuration of later events and requests. The app id and the settings of the store cannot change; an
    /// attempt is reported by a warning. With another endpoint, events recorded before are still sent to the former one.
    /// - Parameter body: may record events, but must not call this method.
    public func configure(_ body: (inout ClickstreamClient.Configuration) -> Void) {
        guard isOurs else { return }
        var notices: [Notice] = []
        let hasNewInterval = changes.withLock { count in
            let before = configuration
            var changed = before
            body(&changed)
            let taken = settings.withLock { settings in
                settings.take(changed, notices: &notices) ? settings.configuration : nil
            }
            guard let taken else { return false }
            count += 1
            // Under the lock, so that all shards apply two concurrent changes in one order. Notices are reported outside.
            if let refusal = redirect(to: taken, from: before) { notices.append(refusal) }
            for shard in shards { notices += shard.configure(taken) }
            return taken.sendInterval != before.sendInterval
        }
        if !notices.isEmpty { outbox.post(notices, printsEvents: false) }
        if hasNewInterval { timer.cancel() }
        armTimer()
    }

    /// Sends later events to the endpoint of `changed`: all shards, or none if one cannot create the queue for it.
    /// - Returns: a warning if the endpoint stays that of `before`.
    private func redirect(
        to changed: ClickstreamClient.Configuration,
        from before: ClickstreamClient.Configuration
    ) -> Notice? {
        for (index, shard) in shards.enumerated() {
            guard let error = shard.redirect(to: changed) else { continue }
            // This cannot fail, except in a shard that recorded an event for the new endpoint in the meantime.
            for shard in shards[..<index] { _ = shard.redirect(to: before) }
            settings.withLock { $0.restoreDestination(of: before) }
            return .warning(.init(.settingNotChanged, "The endpoint stays \"\(before.endpoint)\": \(error)"))
        }
        return nil
    }

    /// Stops recording and sending until ``enable()``; events are counted as disabled meanwhile.
    public func disable() { setEnabled(false) }

    /// Resumes recording and sending.
    public func enable() { setEnabled(true) }

    private func setEnabled(_ isEnabled: Bool) {
        guard isOurs else { return }
        settings.withLock { settings in
            settings.isEnabled = isEnabled
            for shard in shards { shard.setEnabled(isEnabled) }
        }
        if isEnabled { armTimer() }
    }

    /// As ``observe(_:)``, but events are reported only with violations, and without their lines: costs nothing per event.
    func observeWithoutLines(_ handler: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(handler)
        outbox.add(observer)
        return observer
    }

    /// Adds an observer of notices. It is called on the thread of the call that caused a notice, outside every lock.
    /// Each event costs a copy of its line while there is an observer.
    /// - Returns: a handle that cancels the observer; may be discarded.
    @discardableResult
    public func observe(_ handler: @escaping @Sendable (Notice) -> Void) -> NoticeObserver {
        let observer = NoticeObserver(handler)
        guard isOurs else { return observer }
        outbox.add(observer)
        for shard in shards { shard.observeLines() }
        return observer
    }
}
