/**
 * Whether two values that JSON.parse made are the same, order of members included. Without recursion: what is deep
 * for a client must not be too deep for the judge.
 * @param {unknown} left @param {unknown} right
 */
export function sameJson(left, right) {
  const open = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [one, other] = pair;
    if (Object.is(one, other)) continue;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    const ours = Object.entries(one);
    const theirs = Object.entries(other);
    if (ours.length !== theirs.length) return false;
    for (const [index, [name, value]] of ours.entries()) {
      const [otherName, otherValue] = theirs[index] ?? [];
      if (name !== otherName) return false;
      open.push([value, otherValue]);
    }
  }
  return true;
}

/** The object a text holds, as a map: nothing inherited, null is absent. Null when it holds no object.
 * @param {string} text @returns {Map<string, unknown> | null} */
export function objectIn(text) {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** @param {unknown} value @returns {Map<string, unknown> | null} */
export function membersOf(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map(Object.entries(value).filter(([, one]) => one !== null));
}
