@import Clickstream;
// for send event immediately.
[ClickstreamObjc flushEvents];
