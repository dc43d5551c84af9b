import ClickstreamDocuments
import FoundationEssentials

extension TrackingPlan {
    /// Mistakes of a plan: one line each, with file, line and column.
    public struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        /// The mistakes in the order of the file, one per line.
        public let description: String
    }

    /// Reads a plan from a file: JSON if its name ends in `.json`, otherwise YAML.
    /// - Throws: ``Invalid`` with all mistakes, or the error of the file.
    public init(contentsOfFile path: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        do throws(DocumentError) {
            self = try TrackingPlan.read(bytes, file: path)
        } catch {
            throw Invalid(description: error.description)
        }
    }
}
