/// Decides what a launch says about the app's past: a first open, a new version of the app or of the system.
package struct LaunchMachine: Sendable, Equatable {
    /// The versions that are known: of the last launch that knew them. `nil` before the first launch.
    ///
    /// `nil` is left by the first `launch`, which finds a first open, and never come back to. Known versions are left by a
    /// `launch` with others, which finds an update. A version that is not known, an empty one, is left by a `launch` that
    /// knows it, which finds nothing.
    package var versions: Versions?

    /// The versions that a launch compares.
    package struct Versions: Sendable, Equatable {
        package var app: String
        package var system: String

        package init(app: String, system: String) {
            self.app = app
            self.system = system
        }
    }

    /// What a launch finds, in the order in which it is recorded.
    package enum Finding: Sendable, Equatable {
        case appUpdated(from: String)
        case systemUpdated(from: String)
        case firstOpen
    }

    package init(versions: Versions?) {
        self.versions = versions
    }

    /// Compares with the launch before, and remembers this one. A version that was or is empty is not known: no update.
    package mutating func launch(_ now: Versions) -> [Finding] {
        defer {
            versions = Versions(
                app: now.app.isEmpty ? versions?.app ?? "" : now.app,
                system: now.system.isEmpty ? versions?.system ?? "" : now.system
            )
        }
        guard let before = versions else { return [.firstOpen] }
        var findings: [Finding] = []
        if !before.app.isEmpty, !now.app.isEmpty, !Characters.areSame(before.app, now.app) {
            findings.append(.appUpdated(from: before.app))
        }
        if !before.system.isEmpty, !now.system.isEmpty, !Characters.areSame(before.system, now.system) {
            findings.append(.systemUpdated(from: before.system))
        }
        return findings
    }
}

extension LaunchMachine.Finding {
    /// The event that says it.
    package var eventName: String {
        switch self {
        case .appUpdated: EventName.appUpdate
        case .systemUpdated: EventName.osUpdate
        case .firstOpen: EventName.firstOpen
        }
    }
}
