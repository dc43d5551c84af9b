import Foundation

/// Runs `body` with the path of a new folder, and removes the folder afterwards.
package func withFreshFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let folder = try newFolder()
    let result = Result { try body(folder) }
    try FileManager.default.removeItem(atPath: folder)
    return try result.get()
}

/// Runs `body` with the path of a new folder, and removes the folder afterwards.
package func withFreshFolderAsync<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = try newFolder()
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(folder))
    } catch {
        result = .failure(error)
    }
    try FileManager.default.removeItem(atPath: folder)
    return try result.get()
}

private func newFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "clickstream-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.path
}
