import { ServiceError } from '@carillon/errors';
import { formDecode } from './form-decode.js';

/** A query with every parameter that authenticates a request, read but not yet believed. */
export interface SignedQuery {
  /** What the app is looked up by. */
  readonly authKey: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Absent and empty are different: a GET may not carry even an empty one. */
  readonly bodyMd5: string | undefined;
  /**
   * What a handler reads, by the names as written. Holds exactly what the signature covers: of names that differ
   * in case only, the last one alone is here.
   */
  readonly parameters: ReadonlyMap<string, string>;
  /** The part of the string to sign that comes from the query. */
  readonly canonical: string;
}

const SINGLE = new Set(['auth_key', 'auth_timestamp', 'auth_version', 'body_md5']);

/**
 * Reads a raw query as it came on the wire (without `?`). Throws 400 when an authentication parameter is given
 * twice, 401 when one is missing or empty. Linear in the length of the query, but for sorting the names.
 */
export function parseSignedQuery(rawQuery: string): SignedQuery {
  const { signature, signed, parameters } = collect(rawQuery);
  const authKey = required(parameters, 'auth_key');
  const timestamp = required(parameters, 'auth_timestamp');
  if (signature === undefined || signature === '') throw missing('auth_signature');
  const bodyMd5 = parameters.get('body_md5');
  return { authKey, timestamp, signature, bodyMd5, parameters, canonical: canonicalQuery(signed) };
}

interface Collected {
  signature: string | undefined;
  /** By lower-cased name, which is how names are signed. */
  readonly signed: Map<string, string>;
  readonly parameters: Map<string, string>;
}

/** Splits and decodes a raw query. Usually every name is lower case, and both maps are the same one. */
export function collect(rawQuery: string): Collected {
  const signed = new Map<string, string>();
  const spellings = new Map<string, string>();
  let signature: string | undefined;
  for (const piece of rawQuery.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = formDecode(equals < 0 ? piece : piece.slice(0, equals));
    const value = equals < 0 ? '' : formDecode(piece.slice(equals + 1));
    if (name === 'auth_signature') {
      if (signature !== undefined) throw repeated(name);
      signature = value;
      continue;
    }
    const lower = name.toLowerCase();
    if (signed.has(lower) && SINGLE.has(lower)) throw repeated(lower);
    signed.set(lower, value);
    if (lower !== name) spellings.set(lower, name);
    else if (spellings.size > 0) spellings.delete(lower);
  }
  return { signature, signed, parameters: spellings.size === 0 ? signed : respell(signed, spellings) };
}

function respell(signed: Map<string, string>, spellings: Map<string, string>): Map<string, string> {
  return new Map([...signed].map(([lower, value]) => [spellings.get(lower) ?? lower, value]));
}

/** Joins decoded pairs in the order of their names' bytes; nothing is encoded again. */
export function canonicalQuery(signed: ReadonlyMap<string, string>): string {
  let joined = '';
  for (const name of [...signed.keys()].sort(byBytes)) {
    joined += `${joined === '' ? '' : '&'}${name}=${signed.get(name) ?? ''}`;
  }
  return joined;
}

/** JavaScript compares UTF-16 units, which order as bytes do until a surrogate meets U+E000 or above. */
function byBytes(left: string, right: string): number {
  if (BEYOND_UNITS.test(left) || BEYOND_UNITS.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : 1;
}

const BEYOND_UNITS = /[\ud800-\uffff]/;

function required(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') throw missing(name);
  return value;
}

const missing = (name: string) => new ServiceError('auth_failed', { text: `${name} is missing` });
const repeated = (name: string) =>
  new ServiceError('invalid_input', { text: `${name} given more than once` });
