// Order of the bundles of each device: gaps, retries and reused numbers, derived from requests in the order of arrival.

import { count } from "./Words.js";

const maxDevices = 20000, maxBundles = 500;

export class BundleOrder {
  constructor() {
    /** Highest number and recent hashes by app, platform and device. */
    this.devices = new Map();
    /** Device by bundle and hash, for retries: a body with duplicates only has no stored event, hence no known device. */
    this.deviceOfBundle = new Map();
    /** Numbers of unreadable bodies by app, platform and address. Such a bundle arrived, so it is no gap. */
    this.unreadable = new Map();
  }

  /**
   * Remarks on a request's bundle number, given the requests before it. Call once per request, in the order of arrival.
   *
   * @param ofEvents device of the first stored event of the body, or null. An envelope does not name one.
   */
  remarks(request, ofEvents) {
    const bundle = request.event_bundle_sequence_id;
    if (bundle === null) return [];
    const source = `${request.appId}\n${request.platform}`;
    const bundleKey = `${source}\n${bundle}\n${request.hash_code}`;
    const device = ofEvents ?? (request.hash_code && this.deviceOfBundle.get(bundleKey)) ?? null;
    request.device = device;
    if (device === null) {
      if (request.reason) bounded(this.unreadable, `${source}\n${request.ip}`, () => new Set()).add(bundle);
      return [];
    }
    if (request.hash_code) bounded(this.deviceOfBundle, bundleKey, () => device);
    const order = bounded(this.devices, `${source}\n${device}`, () => ({ highest: bundle - 1, hashes: new Map() }));
    const remarks = [];
    if (order.hashes.has(bundle)) {
      remarks.push(order.hashes.get(bundle) === request.hash_code ? "retry" : "bundle number reused for another body");
    } else if (bundle > order.highest + 1) {
      const unreadable = [...this.unreadable.get(`${source}\n${request.ip}`) ?? []].filter((number) => number > order.highest && number < bundle);
      const missing = bundle - order.highest - 1 - unreadable.length;
      if (missing > 0) remarks.push(`gap: ${count(missing, "bundle")} missing before`);
    } else if (bundle <= order.highest) {
      remarks.push("out of order");
    }
    order.hashes.set(bundle, request.hash_code);
    if (order.hashes.size > maxBundles) order.hashes.delete(order.hashes.keys().next().value);
    order.highest = Math.max(order.highest, bundle);
    return remarks;
  }
}

/** Value of a key, created if absent. The map drops its oldest key beyond `maxDevices`. */
function bounded(map, key, create) {
  if (!map.has(key)) {
    if (map.size >= maxDevices) map.delete(map.keys().next().value);
    map.set(key, create());
  }
  return map.get(key);
}
