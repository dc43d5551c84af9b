// Sessions of captured events. In a format with session numbers, one is a user and a number. Events of other formats have no
// session: those that name each other, or that share a page instance, form one.

import { objectOf, textOf } from "./Event.js";

/** The session that a merged one became part of; the session itself otherwise. */
export function rootOf(session) {
  let root = session;
  while (root.into) root = root.into;
  return root;
}

export class CapturedSessions {
  constructor() {
    this.all = [];
    /** By format, the sessions by their key: user and number, or an identifier that events have in common. */
    this.known = new Map();
    this.last = { request: null, session: null };
    this.made = 0;
  }

  add(event) {
    const session = event.format.hasNumbers ? this.numberedSession(event) : this.linkedSession(event);
    event.group = session;
    session.events.push(event);
    session.isSorted = false;
    if (event.isBad) session.bad++;
    if (event.page && session.pages.size < 10000) session.pages.add(event.page.key);
    session.first = Math.min(session.first, event.time);
    session.end = Math.max(session.end, event.time);
    session.screen ??= event.screen ?? null;
    session.platform ??= event.platform ?? null;
    this.last = { request: event.request, session };
  }

  make(form, id, values = {}) {
    const session = { form, id, index: this.made++, events: [], isSorted: true, bad: 0, pages: new Set(), first: Infinity, end: -Infinity, screen: null, platform: null, user: null, number: null, into: null, ...values };
    this.all.push(session);
    return session;
  }

  /** Events have the same ids in all formats, so that a key belongs to a session of each. */
  knownIn(form) {
    if (!this.known.has(form)) this.known.set(form, new Map());
    return this.known.get(form);
  }

  numberedSession({ project, user, number: sn, form }) {
    const known = this.knownIn(form), key = JSON.stringify([project, user, sn]);
    if (!known.has(key)) known.set(key, this.make(form, `${user ?? "no user"}/${sn ?? "no number"}`, { user, number: sn }));
    return known.get(key);
  }

  /** An event without a history joins the event before it in its request. */
  linkedSession({ links, form, id, request, sequence }) {
    const name = id ?? `event ${sequence}`;
    if (!links) {
      const { last } = this;
      return last.request === request && last.session?.form === form ? rootOf(last.session) : this.make(form, name);
    }
    const known = this.knownIn(form);
    let session = null;
    for (const link of links) {
      const other = known.get(link) && rootOf(known.get(link));
      if (other && other !== session) session = session ? this.merge(session, other) : other;
    }
    session ??= this.make(form, name);
    for (const link of links) if (known.get(link) !== session) known.set(link, session);
    return session;
  }

  /** Joins two sessions that an event connects: the older one remains. */
  merge(a, b) {
    const [kept, gone] = a.index < b.index ? [a, b] : [b, a];
    gone.into = kept;
    for (const event of gone.events) kept.events.push(event);
    for (const page of gone.pages) kept.pages.add(page);
    Object.assign(kept, { isSorted: false, bad: kept.bad + gone.bad, first: Math.min(kept.first, gone.first), end: Math.max(kept.end, gone.end) });
    this.all.splice(this.all.indexOf(gone), 1);
    return kept;
  }
}

/** First event of the library's own format in each captured session. An event has the same id in all formats. */
export function clickstreamEventsOf(captured, events) {
  const sessions = new Map();
  for (const event of captured) if (event.id !== null) sessions.set(event.id.toUpperCase(), event.group);
  const found = new Map();
  for (const event of sessions.size ? events : []) {
    const session = event.id !== null && event.session !== null && sessions.get(event.id.toUpperCase());
    if (session && !found.has(rootOf(session))) found.set(rootOf(session), event);
  }
  return found;
}

/** Captured sessions of other formats that are part of the same session of the library as `session`. */
export function counterpartsOf(session, clickstream) {
  const own = clickstream.get(session);
  if (!own) return [];
  return [...clickstream].filter(([other, event]) => other.form !== session.form && event.app === own.app && event.session === own.session).map(([other]) => other).sort((a, b) => a.index - b.index);
}

/** Events of a session in the order of their times. */
export function sortedEvents(session) {
  if (!session.isSorted) {
    session.events.sort((a, b) => a.time - b.time || a.sequence - b.sequence);
    session.isSorted = true;
  }
  return session.events;
}

/**
 * Pages of a session in the order of their first appearance, and visits in the order of time. Each view of a page begins a visit; so
 * does an event on a page that was never viewed. Other events belong to the page that they name.
 */
export function journeyOf(session) {
  const events = sortedEvents(session);
  const pages = new Map();
  const visits = [];
  const hidden = [];
  for (const event of events) {
    const { page, view, time } = event;
    const away = hidden.at(-1);
    if (view === "hide" && away?.to !== Infinity) hidden.push({ from: time, to: Infinity });
    if (view === "show" && away?.to === Infinity) away.to = time;
    if (!page) continue;
    if (!pages.has(page.key)) pages.set(page.key, { page, events: [], visits: [], duration: 0, bad: 0 });
    const summary = pages.get(page.key);
    if (view === "view" || (view === null && !summary.visits.length)) {
      visits.push({ summary, event, from: time, duration: 0 });
      summary.visits.push(visits.at(-1));
    }
    summary.events.push(event);
    if (event.isBad) summary.bad++;
  }
  visits.forEach((visit, index) => {
    const end = visits[index + 1]?.from ?? events.at(-1).time;
    const away = hidden.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, visit.from)), 0);
    visit.duration = Math.max(0, end - visit.from - away);
    visit.summary.duration += visit.duration;
  });
  return { pages: [...pages.values()], visits };
}

/** Sizes of screens in logical pixels that are assumed where the events do not report one. */
const usualScreens = [{ width: 390, height: 844 }, { width: 430, height: 932 }, { width: 844, height: 390 }, { width: 834, height: 1194 }, { width: 1194, height: 834 }, { width: 1024, height: 1366 }, { width: 1440, height: 900 }, { width: 1920, height: 1080 }];

/** Platforms of computers: their screens are wide, and have one pixel per logical pixel. */
const computers = /linux|mac|windows|web/i;

/** True for a size that a screen can have. */
export const isScreen = (width, height) => Math.min(width, height) >= 50 && Math.max(width, height) <= 20000 && Math.max(width / height, height / width) <= 4;

/**
 * Screen of a session in logical pixels: as reported, also by its counterparts, or by an event of the library's own format. If none
 * reports one, it is the smallest usual one of the platform that contains all positions. `note` describes what is assumed.
 */
export function screenOf({ screen, platform, events }, counterparts, own) {
  const device = own ? objectOf(JSON.parse(own.text).event) : {};
  const isComputer = computers.test(textOf(device.platform) ?? platform ?? counterparts.find((other) => other.platform)?.platform ?? "");
  const pixels = isScreen(device.screen_width, device.screen_height) ? { width: device.screen_width, height: device.screen_height } : null;
  const reported = screen ?? counterparts.find((other) => other.screen)?.screen ?? (isComputer ? pixels : null);
  if (reported) return { ...reported, isComputer, note: "" };
  let width = 1, height = 1;
  for (const { mark } of events) {
    if (mark?.x === undefined) continue;
    width = Math.max(width, mark.x, mark.toX ?? 0);
    height = Math.max(height, mark.y, mark.toY ?? 0);
  }
  const usual = usualScreens.find((screen) => screen.width >= width && screen.height >= height && (!isComputer || screen.width >= 1440)) ?? usualScreens.at(-1);
  if (!pixels) return { ...usual, isComputer, note: " (assumed)" };
  // A phone reports pixels, of which a logical one has several.
  const isTurned = (usual.width > usual.height) !== (pixels.width > pixels.height);
  const [w, h] = isTurned ? [pixels.height, pixels.width] : [pixels.width, pixels.height];
  const scale = Math.max(usual.width / w, width / w, height / h);
  return { width: w * scale, height: h * scale, isComputer, note: " (scale assumed)" };
}
