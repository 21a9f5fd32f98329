import { REDACTED, Secret } from './secret.js';

/** Everything between the scheme and the last @ before white space or a quote: rather too much than too little. */
const USERINFO = /([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^\s"']*@/g;

/** The text with the userinfo part of every URL in it hidden. */
export const redactUrls = (text: string): string => text.replace(USERINFO, `$1${REDACTED}@`);

/** A value that is one URL hides its userinfo whatever characters that holds. */
function redactText(text: string): string {
  return redactUrls(text.replace(/^(\s*[A-Za-z][A-Za-z0-9+.-]*:\/\/).*@/s, `$1${REDACTED}@`));
}

/** Members that are secret by their name wherever app records carry them. */
const SECRET_MEMBERS = new Set(['key', 'secret']);

function redactMember(key: string, value: unknown): unknown {
  if (SECRET_MEMBERS.has(key) && value !== null) return REDACTED;
  if (key === 'headers' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.keys(value).map((name) => [name, REDACTED]));
  }
  return redacted(value);
}

/** A plain copy fit for printing: secrets and the userinfo of URLs hidden, everything else as it is. */
export function redacted(value: unknown): unknown {
  if (value instanceof Secret) return REDACTED;
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (value instanceof Map) return redacted(Object.fromEntries(value));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactMember(key, inner)]));
}
