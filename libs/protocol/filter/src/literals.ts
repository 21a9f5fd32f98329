/**
 * Literal values, at least one of which an accepted event carries: event names and tags with their value. A filter with
 * literals is found by a hash lookup instead of an evaluation; null if the filter cannot be indexed.
 */
export type Literals = readonly string[] | null;

/** Literals that one filter is indexed by; a filter with more is not indexed. */
const MAX_LITERALS = 128;

export const eventLiteral = (name: string): string => `e${name}`;
export const tagLiteral = (key: string, value: string): string => `t${key.length}:${key}${value}`;

/** Returns the literals of a condition whose parts must all hold: those of the part with the fewest. */
export function literalsOfAll(parts: readonly Literals[]): Literals {
  let fewest: Literals = null;
  for (const part of parts)
    if (part !== null && (fewest === null || part.length < fewest.length)) fewest = part;
  return fewest;
}

/** Returns the literals of a condition one of whose parts must hold: those of all parts. */
export function literalsOfAny(parts: readonly Literals[]): Literals {
  const all = new Set<string>();
  for (const part of parts) {
    if (part === null) return null;
    for (const literal of part) all.add(literal);
  }
  return all.size > MAX_LITERALS ? null : [...all];
}
