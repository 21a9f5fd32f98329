// Mutations of JSON as a tree, wherever an input or one of its fields holds some.
import { joinFields, splitFields, textOf } from '../text.js';
import { Verbatim, writeJson } from './json-writer.js';
import { words } from '../words.js';

/** @typedef {import('./mutation.js').Mutation} Mutation */
/** @typedef {import('../random.js').Random} Random */
/** @typedef {{ holder: Record<string, unknown>, name: string }} Spot */

const LONGEST = 8192;
const DEEPEST = 60;
const MAX_SPOTS = 400;

const VALUES = [
  ...words(`
    null true false 0 -0 1e400 -1e-400 9007199254740993 1.0 1E2 "" [] {}
    12345678901234567890123456789012345678 NaN Infinity undefined tru 01 +1 .5 1. 'a' /**/1
    0x10 [1,] {"a":1,} "{}" "[]" "null" {"__proto__":null} [[[[]]]] "__proto__" "constructor"
  `),
  '"\\ud800"',
  '"\\u0000"',
  '"\\"',
  '"\\u"',
  '"\u2028"',
  '"\ud83d\ude00"',
  '"\t"',
  '"{\\"a\\":1}"',
].map((text) => new Verbatim(text));

/** The parts of an input that hold an object or a list. @param {Buffer} bytes @returns {{ fields: Buffer[], at: number, value: unknown }[]} */
function treesIn(bytes) {
  const fields = splitFields(bytes);
  return fields.flatMap((field, at) => {
    const value = field[0] === 0x7b || field[0] === 0x5b ? parsed(textOf(field)) : undefined;
    return value === undefined ? [] : [{ fields, at, value }];
  });
}

/** @param {string} text */
function parsed(text) {
  if (text.length > LONGEST || depthOf(text) > DEEPEST) return undefined;
  try {
    return /** @type {unknown} */ (JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** At least how deep it nests; more when strings hold brackets. @param {string} text */
function depthOf(text) {
  let depth = 0;
  let deepest = 0;
  for (const unit of text) {
    if (unit === '{' || unit === '[') deepest = Math.max(deepest, ++depth);
    else if (unit === '}' || unit === ']') depth -= 1;
  }
  return deepest;
}

/** Every place that holds a value. @param {Record<string, unknown>} root @returns {Spot[]} */
function spotsIn(root) {
  const spots = [{ holder: root, name: 'root' }];
  for (let next = 0; next < spots.length && spots.length < MAX_SPOTS; next += 1) {
    const { holder, name } = /** @type {Spot} */ (spots[next]);
    const value = holder[name];
    if (typeof value !== 'object' || value === null || value instanceof Verbatim) continue;
    const inner = /** @type {Record<string, unknown>} */ (value);
    for (const key of Object.keys(inner)) spots.push({ holder: inner, name: key });
  }
  return spots;
}

/** @typedef {(spot: Spot, random: Random, others: Spot[], tokens: readonly Buffer[]) => void} Change */

/** @type {readonly Change[]} */
const CHANGES = [
  (spot, random) => set(spot, random.pick(VALUES)),
  (spot, random) => set(spot, random.pick(VALUES)),
  // As text, because a tree that holds itself cannot be written.
  (spot, random, others) => set(spot, new Verbatim(plainText(get(random.pick(others))))),
  (spot, random, _others, tokens) => set(spot, textOf(random.pick(tokens))),
  ({ holder, name }) => void (Array.isArray(holder) ? holder.pop() : Reflect.deleteProperty(holder, name)),
  (spot, random) => {
    const value = get(spot);
    Reflect.deleteProperty(spot.holder, spot.name);
    set(
      { holder: spot.holder, name: random.pick(['__proto__', '', `${spot.name}x`, spot.name.toUpperCase()]) },
      value,
    );
  },
  (spot, random) => set(spot, random.oneIn(2) ? [get(spot)] : { [spot.name]: get(spot) }),
  (spot, random) => {
    const depth = 1 + random.size(random.oneIn(40) ? 20_000 : 100);
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['[{"data":', '}]'],
    ]);
    set(spot, new Verbatim(`${open.repeat(depth)}0${close.repeat(depth)}`));
  },
  // A payload and the text of that payload are often both legal.
  (spot) => {
    const value = get(spot);
    const read = typeof value === 'string' ? parsed(value) : undefined;
    set(spot, read ?? plainText(value));
  },
  (spot, random) => set(spot, 'x'.repeat(random.size(random.oneIn(20) ? 60_000 : 300))),
];

/** @param {string} _name @param {unknown} value */
const unwrapped = (_name, value) => (value instanceof Verbatim ? value.text : value);

/** @param {unknown} value */
const plainText = (value) => JSON.stringify(value, unwrapped) ?? 'null';

/** @param {Spot} spot */
const get = ({ holder, name }) => holder[name];

/** Makes an own member whatever its name. @param {Spot} spot @param {unknown} value */
function set({ holder, name }, value) {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** @type {Mutation} */
const changeTree = (bytes, { random, inputs, tokens }) => {
  const trees = treesIn(bytes);
  if (trees.length === 0) return bytes;
  const { fields, at, value } = random.pick(trees);
  const root = { root: value };
  const others = treesIn(random.pick(inputs)).flatMap((tree) => spotsIn({ root: tree.value }));
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    const spots = spotsIn(root);
    random.pick(CHANGES)(random.pick(spots), random, others.length > 0 ? others : spots, tokens);
  }
  fields[at] = Buffer.from(writeJson(root.root, random, random.oneIn(2)));
  return joinFields(fields);
};

/** The same value, written in another way. @type {Mutation} */
const rewrite = (bytes, { random }) => {
  const trees = treesIn(bytes);
  if (trees.length === 0) return bytes;
  const { fields, at, value } = random.pick(trees);
  fields[at] = Buffer.from(writeJson(value, random, false));
  return joinFields(fields);
};

/** @type {readonly Mutation[]} */
export const JSON_MUTATIONS = [changeTree, changeTree, rewrite];
