/** A property that did not hold. The message says which; the input tells the rest. */
export class Broken extends Error {
  /** @override */
  name = 'Broken';
}

/** @param {boolean} condition @param {string} property what must hold, in words @returns {asserts condition} */
export function must(condition, property) {
  if (!condition) throw new Broken(property);
}

/** @param {unknown} actual @param {unknown} expected @param {string} subject */
export function mustEqual(actual, expected, subject) {
  if (actual === expected) return;
  throw new Broken(`${subject} is ${shown(actual)}, expected ${shown(expected)}`);
}

/** @param {unknown} value */
const shown = (value) => (JSON.stringify(value) ?? String(value)).slice(0, 300);
