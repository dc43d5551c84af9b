// One event as the list keeps it: the text that came, and what is asked for often.

const interned = new Map();
/** The same string for the same text: a hundred thousand events share a few names. */
function intern(text) {
  const known = interned.get(text);
  if (known !== undefined) return known;
  if (interned.size > 50000) interned.clear();
  interned.set(text, text);
  return text;
}

/** As the collector reads them: a number counts as its text, an empty text as none, NUL is replaced. */
const words = (value) =>
  typeof value === "string" && value !== "" ? intern(value.replaceAll("\0", "\ufffd")) : typeof value === "number" ? intern(String(value)) : null;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

class Event {
  /** @param text an element of /api/events  @param place counts the events of this page from 0 */
  constructor(text, place) {
    const row = JSON.parse(text);
    const event = isObject(row.event) ? row.event : {};
    const attributes = isObject(event.attributes) ? event.attributes : {};
    this.text = text;
    this.place = place;
    this.name = words(event.event_type) ?? words(event.event_name);
    this.id = words(event.event_id);
    this.received = row.received_at;
    this.time = Number.isFinite(event.timestamp) ? event.timestamp : row.received_at;
    this.app = words(event.app_id);
    this.session = words(attributes._session_id);
    this.sessionNumber = words(attributes._session_number);
    this.unique = words(event.unique_id) ?? words(event.user_pseudo_id);
    this.user = isObject(event.user) && isObject(event.user._user_id) ? words(event.user._user_id.value) : null;
    this.screen = words(attributes._screen_name);
    this.isBad = row.status === "bad";
    this.codes = row.violations.length ? [...new Set(row.violations.map((found) => intern(String(found.code))))] : none;
    this.request = row.request_id;
  }

  /** The event alone, in the bytes that were sent. */
  get json() {
    const at = this.text.indexOf(":") + 1;
    return this.text.slice(at, endOfValue(this.text, at)).trim();
  }

  get violations() {
    return JSON.parse(this.text).violations;
  }

  get title() {
    return this.name ?? "(no name)";
  }
}

const none = [];
