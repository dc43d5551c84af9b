@import Clickstream;

// disable SDK
[ClickstreamObjc disable];

// enable SDK
[ClickstreamObjc enable];
