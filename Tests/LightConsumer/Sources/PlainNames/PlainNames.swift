// Names that a module of an app may export.

public struct Configuration {}
public struct Currency {}
public struct Device {}
public struct Element {}
public struct ElementPath {}
public struct ElementType {}
public struct Events {}
public struct Frame {}
public struct Item {}
public struct Masking {}
public struct Page {}
public struct Point {}
public struct Rule {}
public struct Scope {}
public struct Screen {}
public struct ScrollPosition {}
public struct Session {}
public struct Touch {}
public struct Transaction {}
public struct Transport {}
