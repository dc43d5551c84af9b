/// Sleeps of the machine and jumps of its wall clock, found from the times of the inputs.
extension Recorder {
    /// The time of an input, to be passed before the input itself.
    ///
    /// After a jump of the wall clock, the times that this process has set on the wrong clock are corrected. A sleep of the
    /// machine in the foreground, of the session's timeout or longer, counts as a departure at the input before it and a
    /// return now.
    /// - Returns: true if the app counts as departed, which requests a flush.
    @inline(__always)
    package mutating func receiveInput(at moment: Moment) -> Bool {
        if access.lifecycle.mayHaveJumped(at: moment) { correctClock(at: moment) }
        guard let sleep = access.lifecycle.receiveInput(at: moment) else { return false }
        return wake(from: sleep, at: moment)
    }

    /// Stored events keep their times.
    @inline(never)
    private mutating func correctClock(at moment: Moment) {
        let timeout = configuration.sessionTimeout.wholeMilliseconds
        guard access.lifecycle.visibility != .ended,
            let jump = access.lifecycle.correctClock(timeout: timeout, at: moment)
        else {
            return
        }
        access.composer.context.session = access.lifecycle.session
        access.changeState { [newUsers] access in
            access.log.store.state?.users.shiftFirstTouch(of: newUsers, by: jump)
            access.saveState()
        }
    }

    /// While recording is off, a sleep decides nothing, like a return to the foreground.
    @inline(never)
    private mutating func wake(from sleep: SystemSleep, at moment: Moment) -> Bool {
        guard access.admission.isAdmitting,
            access.lifecycle.isInterrupted(by: sleep, timeout: configuration.sessionTimeout.wholeMilliseconds)
        else {
            return false
        }
        background(at: sleep.lastInput)
        foreground(at: moment)
        return true
    }
}
