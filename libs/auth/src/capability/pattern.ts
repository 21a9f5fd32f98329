/**
 * Whether a capability pattern matches a name, case-sensitively. One `*` stands for any text, possibly empty, between
 * the text before and after it; a pattern with more stars matches only itself.
 * The text of a wildcard subscription is matched like a name. That is sound: the texts around the capability's star
 * contain no star, so they lie within those around the subscription's star, and every channel of the subscription
 * matches the capability too.
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
