import { isJsonObject } from '@carillon/api-operations';

const SECRETS = [
  'token',
  'secret',
  'password',
  'privatekey',
  'serviceaccountjson',
  'p12',
  'pem',
  'registrationtoken',
  'devicetoken',
  'endpoint',
  'p256dh',
  'auth',
  'channeluri',
  'deviceidentitytoken',
];
const CONTENT: ReadonlySet<string> = new Set(
  [
    'data',
    'extras',
    'payload',
    'templateData',
    'title',
    'body',
    'locales',
    'providerOverrides',
    'metadata',
    'user_info',
  ].map((name) => name.toLowerCase()),
);
const LONGEST = 256;
const MAX_ITEMS = 100;

const isSecret = (name: string): boolean => SECRETS.some((end) => name.toLowerCase().endsWith(end));

/** Arguments as the audit may show them: no secret at any depth, of content only its size, bounded texts and lists. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(redact);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, one]) => [cut(name), redactMember(name, one)]));
}

function redactMember(name: string, value: unknown): unknown {
  if (isSecret(name)) return '[REDACTED]';
  return CONTENT.has(name.toLowerCase()) ? `[${bytesOf(value)} bytes]` : redact(value);
}

const bytesOf = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A text of a client as one bounded line. */
export const cut = (text: string, longest = LONGEST): string =>
  // oxlint-disable-next-line no-control-regex -- characters that could end a line
  text.slice(0, longest).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** The same text for equal values: members in the order of their names. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}
