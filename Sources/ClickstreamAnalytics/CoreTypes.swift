@_exported public import enum ClickstreamCore.AttributeValue
@_exported public import protocol ClickstreamCore.AttributeValueConvertible
@_exported public import struct ClickstreamCore.Attributes
// The types of the core that the published API shows: an app that imports this module can use what it is given, also
// where members are visible only with an import (SE-0444). Nothing else of the core gets into the app's namespace.
@_exported public import class ClickstreamCore.ClickstreamClient
@_exported public import class ClickstreamCore.ClickstreamConfiguration
@_exported public import struct ClickstreamCore.ErrorCode
@_exported public import struct ClickstreamCore.FlushReport
@_exported public import enum ClickstreamCore.Notice
@_exported public import class ClickstreamCore.NoticeObserver
@_exported public import struct ClickstreamCore.Violation
