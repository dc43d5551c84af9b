// Groups of items with the same key.

/** Lists of the items with the same key, the longest first. */
export const groupsOf = (items, keyOf) => [...Map.groupBy(items, keyOf).values()].sort((a, b) => b.length - a.length);
