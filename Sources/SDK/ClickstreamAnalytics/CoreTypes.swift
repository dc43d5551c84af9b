@_exported public import enum ClickstreamCore.AttributeValue
@_exported public import protocol ClickstreamCore.AttributeValueConvertible
@_exported public import struct ClickstreamCore.Attributes
// Types of the core that appear in the published API, re-exported so that an app that imports only this module can use
// them, also with member import visibility (SE-0444). No other type of the core is visible in the app's namespace.
@_exported public import class ClickstreamCore.ClickstreamClient
@_exported public import protocol ClickstreamCore.ClickstreamEvent
@_exported public import enum ClickstreamCore.ConsentDecision
@_exported public import enum ClickstreamCore.ConsentPurpose
@_exported public import struct ClickstreamCore.DraftEvent
@_exported public import struct ClickstreamCore.ErrorCode
@_exported public import struct ClickstreamCore.FileError
@_exported public import enum ClickstreamCore.FlushError
@_exported public import struct ClickstreamCore.FlushReport
@_exported public import enum ClickstreamCore.Notice
@_exported public import class ClickstreamCore.NoticeObserver
@_exported public import enum ClickstreamCore.StoreError
@_exported public import enum ClickstreamCore.TransportError
@_exported public import struct ClickstreamCore.Violation
