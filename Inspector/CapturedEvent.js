// One captured event: the fields of its format, under the names that all formats share.

import { formatOf } from "./CapturedFormat.js";
import { rootOf } from "./CapturedSessions.js";
import { make } from "./Element.js";
import { objectOf, StoredEvent, textOf } from "./Event.js";
import { brief } from "./Words.js";

export class CapturedEvent extends StoredEvent {
  /** List of such events in the API. */
  static list = "captured";

  /** @param text element of /api/captured, its event possibly an excerpt */
  constructor(text) {
    const row = JSON.parse(text);
    super(text, row);
    this.form = row.form;
    this.name = textOf(row.name);
    /** Fields of the format: see `plainView`. */
    Object.assign(this, this.format.fields(objectOf(row.event), objectOf(row.header)));
    this.time ??= row.received_at;
    /** Captured session, set by `CapturedSessions`. */
    this.group = null;
  }

  /** The format: see `capturedFormats`. */
  get format() {
    return formatOf(this.form);
  }

  /** Findings, each with the last part of its field's path as the name, and the number of those that are not listed. */
  get findings() {
    const { violations, unlisted } = super.findings;
    return { violations: violations.map((found) => (textOf(found.name) === null ? found : { ...found, name: found.name.split(".").at(-1) })), unlisted };
  }

  /** Id of the captured session, for the filter. */
  get session() {
    return this.group && rootOf(this.group).id;
  }

  async whole() {
    return Object.assign(await super.whole(), { group: this.group });
  }

  /** Items that were seen: [{ label, seconds }]. */
  get items() {
    return this.hasItems ? this.format.items(objectOf(JSON.parse(this.text).event)) : [];
  }

  facts() {
    const path = this.format.pagePath(this.json).slice(0, 20).map((name) => brief(name, 60)).join(" \u203a ");
    return [
      ["name", this.name, { name: this.name }],
      ["event id", this.id],
      ["page", this.page && make("span", brief(this.page.name, 120))],
      ["path", path && make("span", path)],
      ["user", this.user, { user: this.user }],
      ["session", this.session, { session: this.session }],
      ["platform", this.platform ?? null, { platform: this.platform }],
      ["request", this.request, { request: this.request }],
    ];
  }

  tables(marked) {
    return this.format.tables(this.json, marked, this.member("header") ?? "{}");
  }
}

// MARK: - Pages

const knownPages = new Map();
/** The page with a class and a name: one shared object, or null without both. */
export function pageOf(className, name) {
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
