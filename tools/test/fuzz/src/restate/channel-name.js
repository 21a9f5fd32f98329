// Section 4 of the WebSocket page and the target rule of the HTTP page, said once more and differently.

/** @typedef {import('../apps.js').AppCase} AppCase */
/** @typedef {1 | 2 | 'target'} Use a subscription on that protocol, or what the HTTP side publishes to */

/**
 * @typedef {object} Judged
 * @property {'ordinary' | 'server_to_user' | 'meta' | 'pattern'} form
 * @property {string} kind
 * @property {string | null} namespace
 * @property {readonly string[] | null} users
 */

const KINDS = [
  ['private-encrypted-cache-', 'private_encrypted_cache'],
  ['private-encrypted-', 'private_encrypted'],
  ['private-cache-', 'private_cache'],
  ['private-', 'private'],
  ['presence-cache-', 'presence_cache'],
  ['presence-', 'presence'],
  ['cache-', 'cache'],
  ['', 'public'],
];
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const IN_NAMES = new Set(`${LETTERS}-_=@,;.:#`);
const IN_PATTERNS = new Set(`${LETTERS}-_=@.:*`);
const IN_USERS = new Set(`${LETTERS}-_=@.`);
const TO_USER = '#server-to-user-';
const META = '[meta]';

/** @param {string} text @param {ReadonlySet<string>} allowed */
function consistsOf(text, allowed) {
  for (const character of text) if (!allowed.has(character)) return false;
  return true;
}

/** @param {string} name @returns {readonly [prefix: string, kind: string]} */
function kindOf(name) {
  const [prefix = '', kind = 'public'] = KINDS.find(([start = '']) => name.startsWith(start)) ?? [];
  return [prefix, kind];
}

/** What the name means; null when it is refused. @param {AppCase} app @param {string} name @param {Use} use @returns {Judged | null} */
export function judgeName(app, name, use) {
  if (name.startsWith(TO_USER) && name !== TO_USER) return toUser(app, name);
  if (name.startsWith(META)) return use === 2 ? meta(app, name.slice(META.length)) : null;
  if (name.includes('*')) return use === 2 ? pattern(app, name) : null;
  return ordinary(app, name, use);
}

/** @param {AppCase} app @param {string} name @returns {Judged | null} */
function toUser(app, name) {
  const isShort = new TextEncoder().encode(name).length <= app.longest;
  if (!isShort || !Array.from(name).every(isPrintable)) return null;
  return { form: 'server_to_user', kind: 'public', namespace: null, users: null };
}

/** @param {string} character */
function isPrintable(character) {
  const code = character.codePointAt(0) ?? 0;
  const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
  return !isControl && code !== 0x2028 && code !== 0x2029 && !(code >= 0xd800 && code <= 0xdfff);
}

/** @param {AppCase} app @param {string} base @returns {Judged | null} */
function meta(app, base) {
  if (base.startsWith(TO_USER) && base !== TO_USER) return null;
  const judged = ordinary(app, base, 2);
  return judged === null ? null : { ...judged, form: 'meta', kind: 'public', users: null };
}

/** @param {AppCase} app @param {string} name @returns {Judged | null} */
function pattern(app, name) {
  if (name.split('*').length !== 2 || !consistsOf(name, IN_PATTERNS)) return null;
  if (/^(private|presence)-/.test(name)) return null;
  const before = name.slice(0, name.indexOf('*'));
  const within = namespaceOf(app, before.slice(kindOf(before)[0].length));
  if (within === 'refused' || name.length > (within?.longest ?? app.longest)) return null;
  return { form: 'pattern', kind: 'public', namespace: within?.name ?? null, users: null };
}

/** @param {AppCase} app @param {string} name @param {Use} use @returns {Judged | null} */
function ordinary(app, name, use) {
  if (name === '' || !consistsOf(name, IN_NAMES)) return null;
  const [prefix, kind] = kindOf(name);
  const [base = '', list, ...more] = name.slice(prefix.length).split('#');
  const within = namespaceOf(app, base);
  if (within === 'refused' || name.length > (within?.longest ?? app.longest)) return null;
  if (within !== null && !within.pattern.test(base)) return null;
  const judged = {
    form: /** @type {const} */ ('ordinary'),
    kind,
    namespace: within?.name ?? null,
    users: null,
  };
  if (list === undefined || (use === 'target' && base === '')) return judged;
  const users = list.split(',');
  const isList = users.every((user) => user !== '' && consistsOf(user, IN_USERS));
  return base !== '' && more.length === 0 && isList && within?.userLimited === true
    ? { ...judged, users }
    : null;
}

/** @param {AppCase} app @param {string} base */
function namespaceOf(app, base) {
  const colon = base.indexOf(':');
  if (colon < 0 || app.namespaces.size === 0) return null;
  const name = base.slice(0, colon);
  const shape = app.namespaces.get(name);
  return shape === undefined ? 'refused' : { name, ...shape };
}

/** Whether messages of a channel reach the subscribers of a pattern. @param {AppCase} app @param {string} pattern @param {string} name */
export function reaches(app, pattern, name) {
  const judged = judgeName(app, name, 'target');
  const closed = app.namespaces.get(judged?.namespace ?? '')?.subscribe === false;
  if (judged?.form !== 'ordinary' || name.includes('#') || closed) return false;
  if (judged.kind !== 'public' && judged.kind !== 'cache') return false;
  const [before = '', after = ''] = pattern.split('*');
  return new RegExp(`^${RegExpEscape(before)}[^]*${RegExpEscape(after)}$`).test(name);
}

/** @param {string} text */
const RegExpEscape = (text) => text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`);
