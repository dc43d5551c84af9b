// Groups of items with the same key.

/** Lists of the items with the same key, the longest first. */
export const groupsOf = (items, keyOf) => [...Map.groupBy(items, keyOf).values()].sort((a, b) => b.length - a.length);

/** The most frequent keys of items, at most a number of them; null is no key. Only numbers are kept, as there are a hundred thousand items. */
export function frequentKeys(items, keyOf, maxCount) {
  const counts = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, maxCount).map(([key]) => key);
}
