// One captured event of a Pulse array or a Contentsquare batch: the JSON text of its row, and the fields of both formats
// under common names.

const objectOf = (value) => (isObject(value) ? value : {});
const listOf = (value) => (Array.isArray(value) ? value : []);
const numberOf = (value) => (Number.isFinite(value) ? value : null);

class CapturedEvent {
  /** @param text element of /api/captured, its event possibly an excerpt */
  constructor(text) {
    const row = JSON.parse(text);
    this.text = text;
    /** Place in the order of arrival, unique in a store. */
    this.sequence = row.seq;
    /** Bytes of the whole event if `text` has an excerpt of it, else null. */
    this.wholeBytes = row.event_bytes ?? null;
    this.form = row.form;
    this.name = textOf(row.name);
    this.received = row.received_at;
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
    /** Fields of the format: see `pulseFields` and `contentsquareFields`. */
    Object.assign(this, row.form === "pulse" ? pulseFields(objectOf(row.event)) : contentsquareFields(objectOf(row.event), objectOf(row.header)));
    this.time ??= row.received_at;
    /** Captured session, set by `CapturedSessions`. */
    this.group = null;
  }

  /** Value of a member of the row in the bytes that were sent, or null. */
  member(name) {
    return new Map(membersOf(this.text, 50)).get(name)?.trim() ?? null;
  }

  get json() {
    return this.member("event") ?? "null";
  }

  /** Findings, each with the last part of its field's path as the name, and the number of those that are not listed. */
  get findings() {
    const { violations, unlisted_violations: unlisted = 0 } = JSON.parse(this.text);
    const named = violations.map((found) => (textOf(found.name) === null ? found : { ...found, name: found.name.split(".").at(-1) }));
    return { violations: named, unlisted };
  }

  get title() {
    return this.name ?? "(no name)";
  }

  /** Id of the captured session, for the filter. */
  get session() {
    return this.group && rootOf(this.group).id;
  }

  /** The event with its whole text, read from the collector if this is an excerpt. */
  async whole() {
    if (this.wholeBytes === null) return this;
    const whole = new CapturedEvent(await readText(`/api/captured/${this.sequence}`));
    whole.group = this.group;
    return whole;
  }

  /** Content of the event in a few words. Read from the text when a row is drawn. */
  get summary() {
    const event = objectOf(JSON.parse(this.text).event);
    return brief((this.form === "pulse" ? pulseSummary : contentsquareSummary)(event), 200);
  }

  /** Seen items of an `items_impression`: [{ label, seconds }]. */
  get items() {
    const params = listOf(objectOf(objectOf(JSON.parse(this.text).event).data).params);
    return params.filter(isObject).map((item) => ({ label: itemLabel(item), seconds: Math.max(0, numberOf(item.view_time) ?? 0) }));
  }
}

function itemLabel(item) {
  const label = textOf(item.name) ?? textOf(item.title) ?? textOf(item.id);
  return label ?? Object.entries(item).filter(([name]) => name !== "timestamp" && name !== "view_time").map(([, value]) => textOf(value)).find(Boolean) ?? "(no name)";
}

// MARK: - Pages

const knownPages = new Map();
/** The page with a class and a name: one shared object, or null without both. */
function pageOf(className, name) {
  if (className === null && name === null) return null;
  const key = JSON.stringify([className, name]);
  let page = knownPages.get(key);
  if (!page) {
    if (knownPages.size > 20000) knownPages.clear();
    page = { key, name: name ?? className, className };
    knownPages.set(key, page);
  }
  return page;
}

/** Page of a Contentsquare URL: `app-ios://app/Class?title=Name`. */
function pageOfURL(url) {
  const parts = /^[^:/?#]+:\/\/[^/?#]*\/?([^?#]*)(?:\?(?:[^#]*&)?title=([^&#]*))?/.exec(textOf(url) ?? "");
  return parts && pageOf(decoded(parts[1]), decoded(parts[2]));
}

function decoded(text) {
  if (!text) return null;
  try {
    return textOf(decodeURIComponent(text.replaceAll("+", " ")));
  } catch {
    return textOf(text);
  }
}

// MARK: - Pulse

const mostLinks = 64;

/**
 * Fields of a Pulse event. `links` are identifiers that events of one session have in common: the event's own, those of
 * the events before it, and those of the page instances on the navigation path. Null without a history: the app's own events.
 */
function pulseFields(event) {
  const data = objectOf(event.data);
  const type = event.event_type;
  const isPage = type === "page_view" || type === "page_load";
  const place = objectOf(isPage ? data.element : data.parent_info);
  const instances = Object.values(objectOf(event.sub_sids)).slice(0, mostLinks);
  const hasHistory = Array.isArray(data.previous_events) || instances.length > 0;
  const id = textOf(event.event_id);
  return {
    id,
    time: numberOf(event.timestamp),
    user: null,
    links: hasHistory ? [id, ...listOf(data.previous_events).slice(0, mostLinks), ...instances].filter((link) => typeof link === "string" && link !== "").map((link) => link.toUpperCase()) : null,
    page: pageOf(textOf(place.class), textOf(place.id)),
    view: type === "page_view" ? "view" : type === "page_load" ? "load" : null,
    ...pulseContent(type, data),
  };
}

/** Parts of a Pulse event that the outline of its page shows: `mark`, `entry`, `scroll`. */
function pulseContent(type, data) {
  const element = objectOf(data.element);
  if (type === "click") {
    const label = textOf(element.value) ?? textOf(element.id) ?? textOf(element.accessibility_id);
    return { entry: { kind: textOf(element.type) ?? "click", label: label ?? "(no name)" } };
  }
  if (type === "scroll") {
    const scroll = objectOf(data.scroll_info);
    const depth = numberOf(scroll.scroll_depth);
    return { scroll: depth === null ? null : { depth: Math.min(100, Math.max(0, depth)), isAcross: scroll.direction === "left" || scroll.direction === "right" } };
  }
  if (type !== "gesture") return {};
  const gesture = objectOf(data.gesture_params);
  const target = objectOf(data.target_info);
  const label = textOf(target.id) ?? textOf(target.accessibility_id) ?? textOf(target.class) ?? "(no element)";
  const at = (...names) => names.map((name) => numberOf(gesture[name]));
  if (gesture.type === "move") {
    const [x, y, toX, toY] = at("move_start_x", "move_start_y", "move_end_x", "move_end_y");
    if ([x, y, toX, toY].includes(null)) return {};
    return { mark: { kind: "move", x, y, toX, toY, label } };
  }
  const [x, y] = at("tap_x", "tap_y");
  if (x !== null && y !== null) return { mark: { kind: gesture.type === "long_press" ? "long press" : "tap", x, y, fingers: numberOf(gesture.taps_count) ?? 1, label } };
  return { entry: { kind: textOf(gesture.type) ?? "gesture", label } };
}

function gestureSummary(gesture) {
  const value = (name) => textOf(gesture[name]) ?? "?";
  switch (gesture.type) {
    case "scale": return `${value("scale_start")} to ${value("scale_end")} %`;
    case "rotate": return `${value("rotate_start")} to ${value("rotate_end")}\u00b0`;
    case "move": return `${value("move_start_x")}, ${value("move_start_y")} to ${value("move_end_x")}, ${value("move_end_y")}`;
    default: return `${value("tap_x")}, ${value("tap_y")}`;
  }
}

function pulseSummary(event) {
  const data = objectOf(event.data), element = objectOf(data.element), gesture = objectOf(data.gesture_params), scroll = objectOf(data.scroll_info);
  const amount = objectOf(data.additional_properties);
  const on = textOf(objectOf(data.target_info).id) ?? textOf(objectOf(data.target_info).class);
  switch (event.event_type) {
    case "page_load": return joined(element.id ?? element.class);
    case "page_view": return joined(element.id ?? element.class, element.sequence > 1 && `appearance ${element.sequence}`);
    case "click": return joined(element.type, textOf(element.value) !== null && `"${textOf(element.value)}"`, element.id ?? element.accessibility_id, element.localized_key);
    case "scroll": return joined(scroll.direction, `${textOf(scroll.distance) ?? "?"} px`, `${textOf(scroll.speed) ?? "?"} px/s`, `depth ${textOf(scroll.scroll_depth) ?? "?"} %`);
    case "items_impression": return joined(textOf(data.items_count) !== null && `${textOf(data.items_count)} items`, element.id, element.type);
    case "gesture": return joined(gesture.type, gestureSummary(gesture), on);
    default: return Object.entries(amount).slice(0, 8).map(([name, value]) => `${name}=${textOf(value) ?? ""}`).join(", ");
  }
}

/** Texts and numbers with a separator; other values are skipped. */
const joined = (...parts) => parts.map((part) => textOf(part)).filter((part) => part !== null).join(" \u00b7 ");

// MARK: - Contentsquare

/** True for a size that a screen can have. */
const isScreen = (width, height) => Math.min(width, height) >= 50 && Math.max(width, height) <= 20000 && Math.max(width / height, height / width) <= 4;

/** Fields of a Contentsquare event. `screen` is the screen's size in logical pixels. */
function contentsquareFields(event, header) {
  const { w, h, d } = objectOf(header.r);
  const density = numberOf(d) > 0 ? d : 1;
  const isTurned = (event.o === 0 && w > h) || (event.o === 1 && w < h);
  const size = isScreen(w / density, h / density) ? { width: w / density, height: h / density } : null;
  const isView = event.ea === 4;
  const page = pageOfURL(event.url);
  return {
    id: textOf(event.euid),
    time: numberOf(event.t),
    user: textOf(header.uid),
    project: textOf(header.pid),
    number: textOf(event.sn),
    screen: size && isTurned ? { width: size.height, height: size.width } : size,
    page: page ?? (isView ? pageOf(null, textOf(event.st)) : null),
    view: isView ? "view" : event.ea === 1 ? "show" : event.ea === 2 ? "hide" : null,
    ...contentsquareContent(event),
  };
}

/** Directions of a finger, by `fd`. */
const directions = ["up", "down", "left", "right", "complex"];
const directionOf = (event) => (Number.isInteger(event.fd) ? directions[event.fd - 1] ?? null : null);
const touchKinds = { 6: "tap", 8: "long press", 9: "drag", 10: "flick" };

/** Parts of a Contentsquare event that the outline of its page shows: `mark` without a position, `entry`, `target`. */
function contentsquareContent(event) {
  const kind = Object.hasOwn(touchKinds, event.ea) ? touchKinds[event.ea] : null;
  if (!kind) return {};
  const path = textOf(event.tvp);
  const label = textOf(event.tvid) ?? (path === null ? "(no target)" : componentsOf(path).at(-1));
  const target = path;
  if (kind === "tap" || kind === "long press") return { target, entry: { kind, label, isIgnored: event.ur === false } };
  return { target, mark: { kind, label, direction: directionOf(event), distance: numberOf(event.tvd) ?? 0, velocity: numberOf(event.tvv) ?? 0 } };
}

function contentsquareSummary(event) {
  const target = textOf(event.tvid) ?? (textOf(event.tvp) === null ? null : componentsOf(textOf(event.tvp)).at(-1));
  const transaction = objectOf(event.tr);
  switch (event.ea) {
    case 4: return joined(event.st, Object.keys(objectOf(event.cv)).length > 0 && Object.values(objectOf(event.cv)).slice(0, 20).flatMap((each) => Object.entries(objectOf(each))).map(([name, value]) => `${name}=${textOf(value) ?? ""}`).join(", "));
    case 6: return joined(target, event.ur === false && "not handled");
    case 8: return joined(target);
    case 9: case 10: return joined(directionOf(event), numberOf(event.tvd) !== null && `${event.tvd} dp`, numberOf(event.tvv) !== null && `${event.tvv} dp/s`, target);
    case 16: return joined(transaction.vl, transaction.cu, transaction.id);
    case 18: case 19: return joined(`${textOf(event.k) ?? ""} = ${textOf(event.v) ?? ""}`);
    default: return "";
  }
}

/** Components of a target path: "[root]>A:eq(0)>B[tg:4]". A ">" within brackets or the parameters of a generic class is no separator. */
function componentsOf(path) {
  const parts = [];
  let start = 0, brackets = 0, generics = 0;
  for (let at = 0; at < path.length; at++) {
    const c = path[at];
    if (c === "[") brackets++;
    else if (c === "]") brackets = Math.max(0, brackets - 1);
    else if (brackets) continue;
    else if (c === "<") generics++;
    else if (c === ">" && generics) generics--;
    else if (c === ">") { parts.push(path.slice(start, at)); start = at + 1; }
  }
  if (start < path.length || !parts.length) parts.push(path.slice(start));
  return parts;
}
