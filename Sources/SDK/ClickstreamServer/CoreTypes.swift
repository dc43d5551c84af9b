// Types of the public interface, re-exported so that an app that imports only this module can use them.
@_exported public import class ClickstreamAnalytics.ClickstreamConfiguration
@_exported public import enum ClickstreamAnalytics.InitError
@_exported public import enum ClickstreamCore.AttributeValue
@_exported public import protocol ClickstreamCore.AttributeValueConvertible
@_exported public import struct ClickstreamCore.Attributes
@_exported public import class ClickstreamCore.ClickstreamClient
@_exported public import enum ClickstreamCore.EventOutcome
@_exported public import struct ClickstreamCore.FileError
@_exported public import enum ClickstreamCore.FlushError
@_exported public import struct ClickstreamCore.FlushReport
@_exported public import enum ClickstreamCore.Notice
@_exported public import class ClickstreamCore.NoticeObserver
@_exported public import enum ClickstreamCore.StoreError
@_exported public import struct ClickstreamCore.Timestamp
@_exported public import struct ClickstreamCore.Violation
