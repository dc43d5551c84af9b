/// What this library calls itself in events and requests.
package enum SDK {
    package static let name = "aws-solution-clickstream-sdk"
    package static let version = "0.1.0"
}
