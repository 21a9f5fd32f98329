import { REDACTED } from '@carillon/config';

/** Field names whose value is never printed, at any level. Compared in lower case. */
const SECRET_NAMES = new Set([
  'auth',
  'body',
  'cookie',
  'data',
  'headers',
  'payload',
  'recipient',
  'recipients',
]);
const SECRET_NAME_END = /(^|[_-])(keys?|tokens?|signatures?|authorization|credentials?|set-cookie)$/;
const SECRET_NAME_PART = /secret|password|passphrase|webhook_?url|private_?key|api_?key/;

const USER_INFO = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"']*@/gi;
const PARAMETER =
  /((?:signature|key|token|secret|password|passphrase|authorization)(?:=|":\s{0,4}"?))[^&\s"',;}]+/gi;
const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g;

/** Operator tokens and tokens of the one-time login. */
const OPERATOR_TOKEN = /\bcm[to]_[A-Za-z0-9_-]{43}/g;

const TEXT_LIMIT = 4096;
const DEPTH_LIMIT = 4;
const ENTRY_LIMIT = 50;
/** Long enough for every problem of a bad configuration in one line. */
const LIST_LIMIT = 500;
const CAUSE_LIMIT = 4;

/**
 * Whether fields of this name are redacted regardless of their value. Accepts camelCase, snake_case and header names.
 */
export function isSecretName(name: string): boolean {
  const word = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return SECRET_NAMES.has(word) || SECRET_NAME_END.test(word) || SECRET_NAME_PART.test(word);
}

/**
 * Removes apparent credentials from a text: the user part of URLs, values of secret parameters, bearer tokens and
 * JWTs. A safety net for foreign texts such as driver errors; truncated to 4096 characters.
 */
export function scrub(text: string): string {
  const bounded = text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
  return bounded
    .replaceAll(USER_INFO, `$1${REDACTED}@`)
    .replaceAll(BEARER, `$1 ${REDACTED}`)
    .replaceAll(JWT, REDACTED)
    .replaceAll(OPERATOR_TOKEN, REDACTED)
    .replaceAll(PARAMETER, `$1${REDACTED}`);
}

/** Returns the messages of an error and its causes as one scrubbed line. */
export function errorText(thrown: unknown): string {
  const parts: string[] = [];
  for (let one = thrown; one !== undefined && one !== null && parts.length < CAUSE_LIMIT;) {
    const text = describe(one);
    // Skips the text of an error that only wraps another one.
    if (!parts.includes(text)) parts.push(text);
    one = one instanceof Error ? one.cause : undefined;
  }
  return parts.length === 0 ? 'unknown error' : scrub(parts.join(': '));
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : `thrown ${typeof thrown}`;
  if (thrown.message !== '') return thrown.message;
  const inner = thrown instanceof AggregateError ? thrown.errors.map(describe).join('; ') : '';
  const code = (thrown as { code?: unknown }).code;
  return inner !== '' ? inner : typeof code === 'string' ? code : thrown.name;
}

/** A field's value as it may be printed: bounded in depth and size, scrubbed, secrets replaced. */
export function printable(name: string, value: unknown, depth = 0): unknown {
  if (value === undefined || value === null) return value;
  if (value instanceof Error) return errorText(value);
  if (isSecretName(name)) return REDACTED;
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'object') return printableObject(value, depth);
  return typeof value === 'bigint' ? value.toString() : `<${typeof value}>`;
}

function printableObject(value: object, depth: number): unknown {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `<${value.byteLength} bytes>`;
  const custom = (value as { toJSON?: unknown }).toJSON;
  if (typeof custom === 'function') {
    const plain: unknown = custom.call(value);
    return typeof plain === 'object' && plain !== null ? '<object>' : printable('', plain, depth);
  }
  if (depth >= DEPTH_LIMIT) return '<nested>';
  if (Array.isArray(value)) return value.slice(0, LIST_LIMIT).map((item) => printable('', item, depth + 1));
  const entries = Object.entries(value).slice(0, ENTRY_LIMIT);
  return Object.fromEntries(entries.map(([key, item]) => [key, printable(key, item, depth + 1)]));
}
