// The parameter of `expectPlan`, re-exported so that a test that imports only this module can read a plan.
@_exported public import struct ClickstreamPlan.TrackingPlan
