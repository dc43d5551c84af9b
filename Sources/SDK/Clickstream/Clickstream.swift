// Module imported by the code snippets of the manual.
@_exported public import ClickstreamAnalytics
