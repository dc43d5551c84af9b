// Crash: an event that reports one, and the events before it. Both are selected as by `clickstream-cli report crashes`.

import { readEvents } from "./Event.js";
import { Examined } from "./Examined.js";
import { membersOf, typeOf, unquoted } from "./JSONText.js";
import { windows } from "./Retention.js";
import { crashName } from "./Timeline.js";

/** Milliseconds before a crash whose events belong to it. */
export const crashSpan = 30000;
/** Events that are listed before a crash, the latest ones. */
export const maxBefore = 1000;
/** Events of a session that are read at a time, times of such a reading, and bytes of each. */
const pageLength = 1000, maxPages = 20, bytesBefore = 4096;

/** Text of a string, number or Boolean; null for other values. */
const plainText = (json) => (json === undefined || !["string", "number", "boolean"].includes(typeOf(json)) ? null : unquoted(json));
const stringText = (json) => (json?.startsWith('"') ? unquoted(json) : "");

/** Values of an event on which the selection depends, from the text that was sent. */
function valuesOf(event) {
  const members = new Map(membersOf(event.json)), attributes = new Map(membersOf(members.get("attributes") ?? "{}"));
  const timestamp = members.get("timestamp") ?? "";
  return {
    members, attributes, time: /^-?\d+$/.test(timestamp) ? Number(timestamp) : event.received,
    person: plainText(members.get("unique_id")) ?? plainText(members.get("user_pseudo_id")),
  };
}

/** A frame of the SDK and of Apple's systems, such as "0 Shop 0x0000559f Basket.total() + 12", and of Java and JavaScript, such as "at shop.Basket.total(Basket.java:42)". */
const nativeFrame = /^\s*#?\d+\s+\S+\s+0x[0-9a-f]+\s+(.+?)(?:\s\+\s\d+)?\s*$/i, managedFrame = /^\s*at\s+(.+?)\s*$/;

/** Function of the innermost frame of a stack; its first line if no frame is recognized. */
function topFrame(stack) {
  const lines = stack.split("\n", 40);
  for (const line of lines) {
    const frame = nativeFrame.exec(line) ?? managedFrame.exec(line);
    if (frame) return frame[1];
  }
  return lines.find((line) => line.trim()) ?? "";
}

export class Crash {
  constructor(event) {
    const { members, attributes, time, person } = valuesOf(event);
    Object.assign(this, { event, time, person });
    this.message = plainText(attributes.get("_exception_message")) ?? "(no message)";
    this.session = plainText(attributes.get("_session_id"));
    this.stack = stringText(attributes.get("_exception_stack"));
    this.breadcrumbs = stringText(attributes.get("_exception_breadcrumbs"));
    this.version = plainText(members.get("app_version"));
    this.platform = plainText(members.get("platform"));
    this.frame = topFrame(this.stack);
  }

  get sequence() {
    return this.event.sequence;
  }

  /** The same of crashes with the same message, apart from addresses, and the same innermost function. */
  get kind() {
    return `${this.message.replace(/0x[0-9a-f]+/gi, "0x")}\n${this.frame}`;
  }

  /**
   * The events of its session and person in the time before it as { event, ago }, with the milliseconds to the crash, and `isCut`: true
   * if there are earlier ones in that time.
   */
  async readBefore(options) {
    const before = [];
    const result = (isCut) => ({ before: before.reverse(), isCut });
    if (!this.session) return result(false);
    for (let page = 0, cursor = null; page < maxPages; page++) {
      const query = new URLSearchParams({ session: this.session, sort: "time", order: "desc", limit: pageLength, event_bytes: bytesBefore, ...(cursor !== null && { cursor }) });
      const { events, next } = await readEvents(`/api/events?${query}`, options);
      for (const event of events) {
        const { time, person } = valuesOf(event);
        if (time < this.time - crashSpan) return result(false);
        if (time > this.time || person !== this.person || event.sequence === this.sequence) continue;
        if (before.length === maxBefore) return result(true);
        before.push({ event, ago: this.time - time });
      }
      if (next === null) return result(false);
      cursor = next;
    }
    return result(true);
  }
}

const counted = new Examined(() => ({ crashes: 0 }), (results, { name }) => { if (name === crashName) results.crashes++; });
/** Number of crashes that the page keeps. */
export const countCrashes = () => counted.of(windows.events.events).crashes;
