/** Text that is written as it stands, valid JSON or not. */
export class Verbatim {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

const SPACES = ['', '', '', ' ', '\n', '\t \r\n'];

/**
 * Writes a value as JSON in one of the many ways it can be written: escapes, white space, members that come twice,
 * members no one expects.
 * @param {unknown} value @param {import('../random.js').Random} random @param {boolean} plain nothing unusual @returns {string}
 */
export function writeJson(value, random, plain) {
  if (value instanceof Verbatim) return value.text;
  if (typeof value === 'string')
    return plain || !random.oneIn(8) ? JSON.stringify(value) : escaped(value, random);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const space = plain ? '' : random.pick(SPACES);
  if (Array.isArray(value)) {
    return `[${space}${value.map((one) => writeJson(one, random, plain)).join(`${space},`)}]`;
  }
  const members = Object.entries(value).map(([name, one]) => {
    const written = writeJson(one, random, plain);
    return `${space}${writeJson(name, random, plain)}${space}:${space}${written}${space}`;
  });
  if (!plain) addOddMembers(members, random);
  return `{${members.join(',')}}`;
}

const ODD_MEMBERS = [
  '"__proto__":{"event":"pusher:ping"}',
  '"":0',
  '"constructor":{"prototype":{}}',
  '"toString":1',
];
const OTHER_VALUES = ['null', '1', '"x"', '{}', '[]', '{"a":"}"}', '"\\""'];

/** @param {string[]} members @param {import('../random.js').Random} random */
function addOddMembers(members, random) {
  if (random.oneIn(8)) members.splice(random.below(members.length + 1), 0, random.pick(ODD_MEMBERS));
  if (members.length === 0 || !random.oneIn(6)) return;
  const twice = random.pick(members);
  const name = twice.slice(0, twice.indexOf(':'));
  const other = random.oneIn(3) ? twice : `${name}:${random.pick(OTHER_VALUES)}`;
  members.splice(random.below(members.length + 1), 0, other);
}

/** @param {string} text @param {import('../random.js').Random} random */
function escaped(text, random) {
  const units = text.split('').map((unit) => {
    if (!random.oneIn(3)) return JSON.stringify(unit).slice(1, -1);
    const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${random.oneIn(2) ? code : code.toUpperCase()}`;
  });
  return `"${units.join('')}"`;
}
