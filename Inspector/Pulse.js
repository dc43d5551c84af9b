// The pulse format: fields and tables of its events.

import { pageOf } from "./CapturedEvent.js";
import { isObject, listOf, numberOf, objectOf, textOf } from "./Event.js";
import { fieldsTable, itemsTable } from "./EventTables.js";
import { isObjectText, membersOf, membersOfObject } from "./JSONText.js";
import { limited } from "./PageOutline.js";

export const view = {
  setting: (url) => `pulse: PulseSettings(endpoint: "${url}")`,
  example: pulseExample,
  fields: pulseFields,
  tables: pulseTables,
  pagePath: (json) => [...membersOf(membersOfObject(json).get("sub_sids") ?? "{}", 50)].map(([name]) => name),
  items: pulseItems,
};

/** A tap. */
function pulseExample() {
  const data = {
    metadata: { auto_generated: true, event_id_source: "sdk" }, connection_type: "WIFI", previous_events: [], sources_info: [], parent_info: { class: "HomeViewController", id: "Home" },
    gesture_params: { tap_x: 185, type: "tap", tap_y: 376, taps_count: 1 }, target_info: { class: "UIView" },
  };
  return JSON.stringify([{ event_type: "gesture", event_id: "7749CD2D-8309-47D2-9448-2FD9089A099F", timestamp: Date.now(), is_background: false, data }]);
}

const maxLinks = 64;

/**
 * Fields of a Pulse event. `links` are identifiers that events of one session have in common: the event's own, those of
 * the events before it, and those of the page instances on the navigation path. Null without a history: the app's own events.
 */
function pulseFields(event) {
  const data = objectOf(event.data);
  const type = event.event_type;
  const isPage = type === "page_view" || type === "page_load";
  const pageInfo = objectOf(isPage ? data.element : data.parent_info);
  const instances = Object.values(objectOf(event.sub_sids)).slice(0, maxLinks);
  const hasHistory = Array.isArray(data.previous_events) || instances.length > 0;
  const id = textOf(event.event_id);
  return {
    id,
    time: numberOf(event.timestamp),
    user: null,
    links: hasHistory ? [id, ...listOf(data.previous_events).slice(0, maxLinks), ...instances].filter((link) => typeof link === "string" && link !== "").map((link) => link.toUpperCase()) : null,
    page: pageOf(textOf(pageInfo.class), textOf(pageInfo.id)),
    view: type === "page_view" ? "view" : type === "page_load" ? "load" : null,
    ...pulseContent(type, data),
  };
}

/** Parts of a Pulse event that its page shows: `mark`, `entry`, `scroll`, `hasItems`. */
function pulseContent(type, data) {
  const element = objectOf(data.element);
  if (type === "click") {
    return { entry: { kind: textOf(element.type) ?? "click", label: firstText(element.value, element.id, element.accessibility_id) ?? "(no name)" } };
  }
  if (type === "scroll") {
    const scroll = objectOf(data.scroll_info);
    const depth = numberOf(scroll.scroll_depth);
    return { scroll: depth === null ? null : { depth: limited(depth, 0, 100), isAcross: scroll.direction === "left" || scroll.direction === "right" } };
  }
  if (type === "items_impression") return { hasItems: true };
  if (type !== "gesture") return {};
  const gesture = objectOf(data.gesture_params);
  const target = objectOf(data.target_info);
  const label = firstText(target.id, target.accessibility_id, target.class) ?? "(no element)";
  const numbers = (...names) => names.map((name) => numberOf(gesture[name]));
  if (gesture.type === "move") {
    const [x, y, toX, toY] = numbers("move_start_x", "move_start_y", "move_end_x", "move_end_y");
    return [x, y, toX, toY].includes(null) ? {} : { mark: { kind: "move", x, y, toX, toY, label } };
  }
  const [x, y] = numbers("tap_x", "tap_y");
  if (x !== null && y !== null) return { mark: { kind: gesture.type === "long_press" ? "long press" : "tap", x, y, fingers: numberOf(gesture.taps_count) ?? 1, label } };
  return { entry: { kind: textOf(gesture.type) ?? "gesture", label } };
}

/** Seen items of an `items_impression`: [{ label, seconds }]. */
function pulseItems(event) {
  return listOf(objectOf(event.data).params).filter(isObject).map((item) => ({ label: itemLabel(item), seconds: Math.max(0, numberOf(item.view_time) ?? 0) }));
}

/** A name of an item, or another of its members; but no time. */
function itemLabel({ name, title, id, timestamp, view_time: time, ...others }) {
  return firstText(name, title, id, ...Object.values(others)) ?? "(no name)";
}

/** The first value that is a text. */
const firstText = (...values) => values.map(textOf).find(Boolean) ?? null;

/** The event's own members, then those of `data`, each object in a table of its own. */
function pulseTables(json, marked) {
  const event = [...membersOf(json, 5000)];
  const data = [...membersOf(new Map(event).get("data") ?? "{}", 5000)];
  const titles = { element: "Element", gesture_params: "Gesture", target_info: "Target", scroll_info: "Scroll", parent_info: "Page", additional_properties: "Properties", additional_ids: "Ids" };
  const plainFields = [...event.filter(([name]) => name !== "data"), ...data.filter(([name]) => !Object.hasOwn(titles, name) && name !== "params")];
  return [
    itemsTable(new Map(data).get("params") ?? "[]", marked, "Impressions"),
    Object.entries(titles).map(([name, title]) => {
      const part = new Map(data).get(name);
      return part !== undefined && fieldsTable(title, isObjectText(part) ? [...membersOf(part, 5000)] : [[name, part]], marked);
    }),
    fieldsTable("Event", plainFields, marked),
  ];
}
