// The call of the SDK that records an event again: its name, attributes and items, and the user that it belongs to. Values are JSON texts as sent.

import { facts } from "./Facts.js";
import { elementsOf, membersOfObject, typeOf, uniqueMembers, unquoted } from "./JSONText.js";
import { numberKind } from "./Quoting.js";

const screenView = "_screen_view";
/** Attributes that the SDK adds to an event, and those that it adds to a screen view, whose screen the call names. */
const added = new Set(["_session_id", "_session_start_timestamp", "_session_duration", "_session_number", "_error_code", "_error_message", "_event_duration", "_sampling_rate", "_user_agent", "_ip"]);
const addedToEvents = new Set([...added, "_screen_name", "_screen_id", "_screen_unique_id"]);
const addedToScreenViews = new Set([...added, "_entrances", "_previous_screen_name", "_previous_screen_id", "_previous_screen_unique_id", "_previous_timestamp", "_engagement_time_msec"]);
const addedToUsers = new Set(["_user_id", "_user_first_touch_timestamp"]);

/** Codes of the rules with the limits of each kind of attributes. */
const attributeRules = { name: 2001, value: 2003, count: 2004 }, userRules = { name: 3002, value: 3004, count: 3001 }, itemRules = { name: 4004, value: 4002 };
const eventNameRule = 1002, itemCountRule = 4001;
/** Hard limit of a rule; Infinity without one. */
const limitOf = (code) => (Object.hasOwn(facts.rules, code) ? Number.parseInt(facts.rules[code].limit, 10) : Infinity);

const isName = (name, code) => /^[A-Za-z_]\w*$/.test(name) && name.length <= limitOf(code);
const isText = (json, code) => typeOf(json) === "string" && [...unquoted(json)].length <= limitOf(code);
const isFilledText = (json, code) => isText(json, code) && unquoted(json) !== "";
const isValue = (json, code) => isText(json, code) || typeOf(json) === "boolean" || (typeOf(json) === "number" && numberKind(json) !== "infinite");

/** Reason why the SDK does not record an event for an app, or null. */
function refusalOf(name, attributes) {
  if (name === null) return "The event has no name.";
  if (name.startsWith("_") && name !== screenView) return `Only the SDK records ${name}.`;
  if (!isName(name, eventNameRule)) return "The SDK refuses this name.";
  return name === screenView && !isFilledText(new Map(attributes).get("_screen_name") ?? "null", attributeRules.value) ? "The screen view has no name of a screen." : null;
}

export class RecordedCall {
  /** Paths of values that the call does not have, because the SDK refuses them, or a language cannot write them. */
  refused = [];

  /** @param event with its whole text */
  constructor(event) {
    const fields = membersOfObject(event.json);
    const attributes = uniqueMembers(fields.get("attributes") ?? "{}");
    const isAdded = event.name === screenView ? addedToScreenViews : addedToEvents;
    const own = attributes.filter(([name]) => !isAdded.has(name));
    this.name = event.name;
    this.refusal = refusalOf(event.name, attributes);
    /** True if the event has attributes that the SDK adds. */
    this.hasAdded = own.length < attributes.length;
    /** [name, JSON text] of each. */
    this.attributes = this.kept(own, "", (name, json, index) => isName(name, attributeRules.name) && isValue(json, attributeRules.value) && index < limitOf(attributeRules.count));
    /** { index, members }: the position in the event, and [name, JSON text] of each member. */
    this.items = elementsOf(fields.get("items") ?? "[]").map(([index, json]) => ({ index, members: uniqueMembers(json) }));
    this.keepItems((name, json) => isName(name, itemRules.name) && isValue(json, itemRules.value));
    const user = uniqueMembers(fields.get("user") ?? "{}").map(([name, entry]) => [name, entry.startsWith("{") ? membersOfObject(entry).get("value") ?? "null" : entry]);
    const id = new Map(user).get("_user_id") ?? "null";
    /** Text of the user id, or null. */
    this.userId = isFilledText(id, userRules.value) ? unquoted(id) : null;
    this.userAttributes = this.kept(user.filter(([name]) => !addedToUsers.has(name)), "user.", (name, json, index) => isName(name, userRules.name) && isValue(json, userRules.value) && index < limitOf(userRules.count));
  }

  /** The members that pass a test. The paths of the others, apart from those without a value, are added to `refused`. */
  kept(members, path, test) {
    return members.filter(([name, json], index) => {
      const isKept = test(name, json, index);
      if (!isKept && json !== "null") this.refused.push(path + name);
      return isKept;
    });
  }

  /** Drops members of the items that do not pass a test, and items without an id or past the limit. */
  keepItems(test) {
    const items = this.items.map(({ index, members }) => ({ index, members: this.kept(members, `items[${index}].`, test) }));
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
