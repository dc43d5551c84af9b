/// State machine of launches, which detects a first open and a new version of the app or of the system.
package struct LaunchMachine: Sendable, Equatable {
    /// The known versions of the last launch. `nil` before the first launch.
    ///
    /// Transitions: `nil` changes with the first `launch`, which reports a first open, and never returns. A known
    /// version changes with a `launch` of a different one, which reports an update. An unknown version, an empty
    /// string, changes with a `launch` that has one, which reports nothing.
    package var versions: Versions?

    /// App and system version of a launch.
    package struct Versions: Sendable, Equatable {
        package var app: String
        package var system: String

        package init(app: String, system: String) {
            self.app = app
            self.system = system
        }
    }

    /// Result of a launch; several are recorded in this order.
    package enum Finding: Sendable, Equatable {
        case appUpdated(from: String)
        case systemUpdated(from: String)
        case firstOpen
    }

    package init(versions: Versions?) {
        self.versions = versions
    }

    /// Compares with the previous launch and stores the versions. An empty version is unknown and is never an update.
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
    /// The event that records this finding.
    package var eventName: String {
        switch self {
        case .appUpdated: EventName.appUpdate
        case .systemUpdated: EventName.osUpdate
        case .firstOpen: EventName.firstOpen
        }
    }
}
