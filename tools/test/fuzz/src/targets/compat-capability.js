import { Capability, CompatError } from '@carillon/ably-core';
import { must, mustEqual } from '../broken.js';
import { fieldsOf } from '../text.js';
import { words } from '../words.js';

const NAMES = ['chat:1', 'chat:', 'chat', 'orders', 'a*b', 'a', '*', '__proto__', 'foo'];
const UNBOUND = ['push-admin', 'stats'];
const OPERATIONS = ['publish', 'subscribe', 'history', ...UNBOUND];

/**
 * Fields: what a key may do, and what is asked of it.
 * @type {import('../target.js').Target}
 */
export const compatCapability = {
  name: 'compat-capability',
  tokens: words(`
    {"*":["*"]} {"chat:*":["publish","subscribe"]} "chat:*" "[*]*" "[*" "[*]foo" "*" "a*b" "**" : , publish subscribe
    "push-admin" "stats" [] ["*","publish"] {} ␞
  `),
  outcomes: ['narrowed', 'nothing left', 'all of it', 'refused'],
  growths: [
    { name: 'patterns', before: '{"a":["*"]', piece: ',"b*":["*"]', after: '}␞{"*":["*"]}' },
    { name: 'stars', before: '{"', piece: '*', after: '":["*"]}␞{"a*":["*"]}' },
    { name: 'operations', before: '{"a":["publish"', piece: ',"publish"', after: ']}␞{"*":["*"]}' },
  ],
  check(bytes) {
    const [own, asked] = fieldsOf(bytes, 2).map(parsed);
    if (!own || !asked) return 'refused';
    mustEqual(Capability.parse(own.toString()).toString(), own.toString(), 'a capability that is read again');
    const narrowed = own.narrow(asked);
    for (const name of NAMES)
      for (const operation of OPERATIONS)
        if (narrowed.allows(operation, name))
          must(
            own.allows(operation, name) && asked.allows(operation, name),
            `${operation} on ${name} was granted`,
          );
    for (const operation of UNBOUND)
      if (narrowed.allowsAnywhere(operation)) must(own.allowsAnywhere(operation), `${operation} was granted`);
    if (narrowed.isEmpty) return 'nothing left';
    return narrowed.toString() === asked.toString() ? 'all of it' : 'narrowed';
  },
  reach(bytes) {
    const [own, asked] = fieldsOf(bytes, 2).map(parsed);
    if (own && asked) own.narrow(asked);
  },
};

/** Null: it is none. @param {string} text */
function parsed(text) {
  try {
    return Capability.parse(text);
  } catch (error) {
    if (!(error instanceof CompatError)) throw error;
    mustEqual(error.code, 40_000, 'code of what is no capability');
    return null;
  }
}
