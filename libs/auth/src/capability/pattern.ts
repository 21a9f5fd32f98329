/**
 * Whether a capability pattern matches a name, case-sensitively. One `*` stands for any text, also none, between
 * the text before it and the text after it; a pattern with more stars matches only itself.
 *
 * The text of a wildcard subscription is matched like a name. That is sound: what stands around the one star of
 * the capability holds no star, so it lies within what stands around the star of the subscription, and every
 * channel the subscription can reach matches the capability too.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  const star = pattern.indexOf('*');
  if (star < 0 || pattern.includes('*', star + 1)) return false;
  const tail = pattern.length - star - 1;
  return (
    name.length >= star + tail &&
    name.startsWith(pattern.slice(0, star)) &&
    name.endsWith(pattern.slice(star + 1))
  );
}
