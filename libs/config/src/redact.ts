import { redactedAppRecord } from './apps/redacted.js';
import type { Config } from './schema/index.js';
import { REDACTED, Secret } from './secret.js';

/** Everything between the scheme and the last @ before white space or a quote: rather too much than too little. */
const USERINFO = /([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^\s"']*@/g;

/** The text with the userinfo part of every URL in it hidden. */
export const redactUrls = (text: string): string => text.replace(USERINFO, `$1${REDACTED}@`);

/** For a value that is one URL, hides the userinfo regardless of its characters. */
function redactText(text: string): string {
  return redactUrls(text.replace(/^(\s*[A-Za-z][A-Za-z0-9+.-]*:\/\/).*@/s, `$1${REDACTED}@`));
}

/** Settings whose addresses may have userinfo without a scheme. */
const ADDRESSES: ReadonlySet<string> = new Set(['brokers', 'cluster_seeds', 'host', 'nodes', 'servers']);

/** Settings that are derived from a credential. */
const HASHES: ReadonlySet<string> = new Set(['token_hash']);

/** Hides everything before the host, with or without a scheme. */
const redactAddress = (text: string): string =>
  text.includes('://') ? redactText(text) : text.replace(/^.*@/s, `${REDACTED}@`);

/** A plain copy fit for printing: secrets and the userinfo of URLs hidden, everything else as it is. */
function redacted(value: unknown, key = ''): unknown {
  if (value instanceof Secret || HASHES.has(key)) return REDACTED;
  if (typeof value === 'string') return ADDRESSES.has(key) ? redactAddress(value) : redactText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redacted(inner, name)]));
}

/** The tree as `--print-config` shows it; apps also hide their key and the header values of webhooks. */
export function printable(config: Config): unknown {
  const apps = config.app_manager.array.apps.map(redactedAppRecord);
  const manager = { ...config.app_manager, array: { apps } };
  return redacted({ ...config, app_manager: manager });
}
