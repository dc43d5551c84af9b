/// Codes of refusals in the collector's JSON, as the member `code` beside `error`.
package enum RefusalCode: String, Sendable {
    /// 403: the `Host` of the request is not one under which the collector answers.
    case hostNotAllowed = "host_not_allowed"
}
