// The module that the manual's snippets import.
@_exported public import ClickstreamAnalytics
