interface Takeable<Key, Value> {
  entries(): Iterable<[Key, Value]>;
  delete(key: Key): boolean;
}

/** Removes and returns the first `count` entries. */
export function takeFirst<Key, Value>(from: Takeable<Key, Value>, count: number): [Key, Value][] {
  const taken: [Key, Value][] = [];
  for (const [key, value] of from.entries()) {
    if (taken.length === count) break;
    from.delete(key);
    taken.push([key, value]);
  }
  return taken;
}
