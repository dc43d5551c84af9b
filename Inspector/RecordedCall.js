// The call of the SDK that records an event again: its name, attributes and items, and the user that it belongs to. Values are JSON texts as sent.

import { facts } from "./Facts.js";
import { elementsOf, membersOfObject, typeOf, uniqueMembers, unquoted } from "./JSONText.js";
import { numberKind } from "./Quoting.js";

const screenView = "_screen_view";
const session = ["_session_id", "_session_start_timestamp", "_session_duration", "_session_number"];
/** Attributes of a mistake, which the SDK does not count. */
const uncounted = new Set(["_error_code", "_error_message"]);
/** Attributes that the SDK adds to an event, and those that it adds to a screen view, whose screen the call names. */
const added = new Set([...session, ...uncounted, "_event_duration", "_sampling_rate", "_user_agent", "_ip"]);
const addedToEvents = new Set([...added, "_screen_name", "_screen_id", "_screen_unique_id"]);
const addedToScreenViews = new Set([...added, "_entrances", "_previous_screen_name", "_previous_screen_id", "_previous_screen_unique_id", "_previous_timestamp", "_engagement_time_msec"]);
const addedToUsers = new Set(["_user_id", "_user_first_touch_timestamp"]);
/** Attributes that do not count as an item's own. */
const presetOfItems = new Set(["id", "name", "brand", "currency", "price", "quantity", "creative_name", "creative_slot", "location_id", "category", "category2", "category3", "category4", "category5"]);

/** Hard limit of a rule; Infinity without one. */
const limitOf = (code) => (Object.hasOwn(facts.rules, code) ? Number.parseInt(facts.rules[code].limit, 10) : Infinity);
/** Characters of a number up to which the SDK keeps digits that a double does not have. */
const longestDecimal = 128;

const isName = (name, code) => /^[A-Za-z_]\w*$/.test(name) && name.length <= limitOf(code);
const isText = (json, code) => typeOf(json) === "string" && [...unquoted(json)].length <= limitOf(code);
const isFilledText = (json, code) => isText(json, code) && unquoted(json) !== "";
/** True for a number that the SDK sends with all its digits. */
function isNumber(json) {
  const kind = numberKind(json);
  return kind === "integer" || kind === "double" || (kind === "long" && json.length <= longestDecimal && Number(json) !== 0);
}
const isValue = (json, code) => isText(json, code) || typeOf(json) === "boolean" || (typeOf(json) === "number" && isNumber(json));

/** True for an integer of 64 bits, or a text of its digits. */
const isWhole = (json) => /^[-+]?\d+$/.test(unquoted(json)) && numberKind(unquoted(json).replace("+", "")) === "integer";
const isScreenID = (json) => isFilledText(json, attributeRules.value);
const isShortWhole = (json) => numberKind(json) === "integer" && Number(json) === (Number(json) | 0);

/**
 * Codes of the rules with the limits of each kind of attributes, and tests of the values of reserved names: integers for the server, and the ids of
 * a screen view, which the SDK makes texts.
 */
const attributeRules = { name: 2001, value: 2003, count: 2004, reserved: new Map([["_previous_timestamp", isWhole], ["_engagement_time_msec", isWhole], ["_screen_id", isScreenID], ["_screen_unique_id", isScreenID]]) };
const userRules = { name: 3002, value: 3004, count: 3001, reserved: new Map([["_user_age", isShortWhole]]) };
/** The SDK records the names of categories in another spelling. */
const itemRules = { name: 4004, value: 4002, count: 4003, reserved: new Map(["", "2", "3", "4", "5"].map((level) => [`item_category${level}`, () => false])) };
const eventNameRule = 1002, itemCountRule = 4001;

/** Test of a name with its JSON text. */
const isAccepted = (rules) => (name, json) => isName(name, rules.name) && isValue(json, rules.value) && (rules.reserved.get(name)?.(json) ?? true);

/** Reason why the SDK does not record an event for an app, or null. */
function refusalOf(name, attributes) {
  if (name === null) return "The event has no name.";
  if (name.startsWith("_") && name !== screenView) return `Only the SDK records ${name}.`;
  if (!isName(name, eventNameRule)) return "The SDK refuses this name.";
  return name === screenView && !isFilledText(attributes.get("_screen_name") ?? "null", attributeRules.value) ? "The screen view has no name of a screen." : null;
}

/** JSON text of the session that an event belongs to, as `record` reads it, or null. */
function sessionOf(attributes) {
  const [id, start, , number] = session.map((name) => attributes.get(name) ?? "null");
  const arePositive = [number, start].every((json) => numberKind(json) === "integer" && Number(json) > 0);
  return arePositive && isFilledText(id, attributeRules.value) ? { id, number, start } : null;
}

export class RecordedCall {
  /** Paths of values that the call does not have, because the SDK refuses them, or a language cannot write them. */
  refused = [];

  /** @param event with its whole text */
  constructor(event) {
    const fields = membersOfObject(event.json);
    const attributes = new Map(uniqueMembers(fields.get("attributes") ?? "{}"));
    const isAdded = event.name === screenView ? addedToScreenViews : addedToEvents;
    const own = [...attributes].filter(([name]) => !isAdded.has(name));
    this.name = event.name;
    this.refusal = refusalOf(event.name, attributes);
    /** { id, number, start } in JSON, or null. */
    this.session = sessionOf(attributes);
    /** True if the event has attributes that the SDK adds. */
    this.hasAdded = own.length < attributes.size;
    // The SDK counts what it adds. It adds the screen and others if the call has the same place as the event.
    const count = Math.max(session.length, [...attributes.keys()].filter((name) => isAdded.has(name) && !uncounted.has(name)).length);
    /** [name, JSON text] of each. */
    this.attributes = this.kept(own, "", isAccepted(attributeRules), limitOf(attributeRules.count) - count);
    /** { index, members }: the position in the event, and [name, JSON text] of each member. */
    this.items = elementsOf(fields.get("items") ?? "[]").map(([index, json]) => ({ index, members: uniqueMembers(json) }));
    this.keepItems(isAccepted(itemRules));
    const user = uniqueMembers(fields.get("user") ?? "{}").map(([name, entry]) => [name, entry.startsWith("{") ? membersOfObject(entry).get("value") ?? "null" : entry]);
    const [id] = this.kept(user.filter(([name]) => name === "_user_id"), "user.", (name, json) => isFilledText(json, userRules.value));
    /** Text of the user id, or null. */
    this.userId = id ? unquoted(id[1]) : null;
    this.userAttributes = this.kept(user.filter(([name]) => !addedToUsers.has(name)), "user.", isAccepted(userRules), limitOf(userRules.count));
  }

  /** The first members that pass a test, at most `maxCount` that count. The paths of the others, apart from those without a value, are added to `refused`. */
  kept(members, path, test, maxCount = Infinity, isCounted = () => true) {
    let count = 0;
    return members.filter(([name, json]) => {
      const isKept = test(name, json) && (!isCounted(name) || ++count <= maxCount);
      if (!isKept && json !== "null") this.refused.push(path + name);
      return isKept;
    });
  }

  /** Drops members of the items that do not pass a test or are past the limit, and items without an id or past the limit. */
  keepItems(test) {
    const isOwn = (name) => !presetOfItems.has(name);
    const items = this.items.map(({ index, members }) => ({ index, members: this.kept(members, `items[${index}].`, test, limitOf(itemRules.count), isOwn) }));
    const hasId = ({ members }) => members.some(([name, json]) => name === "id" && (typeOf(json) === "number" || isFilledText(json, itemRules.value)));
    this.items = items.filter(hasId).slice(0, limitOf(itemCountRule));
    for (const item of items) if (!this.items.includes(item)) this.refused.push(`items[${item.index}]`);
  }

  /** The call without the values that a language cannot write. @param isWritable of a JSON text */
  writtenWith(isWritable) {
    const call = Object.assign(Object.create(RecordedCall.prototype), this, { refused: [...this.refused] });
    const test = (name, json) => isWritable(json);
    if (this.userId !== null && !isWritable(JSON.stringify(this.userId))) {
      call.userId = null;
      call.refused.push("user._user_id");
    }
    call.attributes = call.kept(this.attributes, "", test);
    call.keepItems(test);
    call.userAttributes = call.kept(this.userAttributes, "user.", test);
    return call;
  }
}
