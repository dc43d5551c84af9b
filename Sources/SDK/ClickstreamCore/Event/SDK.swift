/// Name and version of this library in events and requests.
package enum SDK {
    package static let name = "aws-solution-clickstream-sdk"
    package static let version = "0.2.0"
}
