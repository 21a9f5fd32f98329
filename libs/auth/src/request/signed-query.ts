import { ServiceError } from '@carillon/errors';
import { formDecode } from './form-decode.js';

/** A query with every parameter that authenticates a request, read but not yet believed. */
export interface SignedQuery {
  /** Key by which the app is looked up. */
  readonly authKey: string;
  readonly timestamp: string;
  readonly signature: string;
  /** Absent and empty are different: a GET may not carry even an empty one. */
  readonly bodyMd5: string | undefined;
  /** Parameters for handlers, with the names as signed, in lower case: exactly the signed ones. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The part of the string to sign that comes from the query. */
  readonly canonical: string;
}

const AUTHENTICATION = new Set(['auth_key', 'auth_timestamp', 'auth_version', 'auth_signature', 'body_md5']);
/** Within a name or a value these could be signed as other parameters. */
const AMBIGUOUS_NAME = /[&=]/;
const AMBIGUOUS_VALUE = /&[^&]*=/;

/**
 * Parses a raw query (without `?`). Of a repeated parameter, in any case, the last value counts for the signature and
 * for handlers. Throws 400 if an authentication parameter is repeated, or if the signature would also cover other
 * parameters; 401 if an authentication parameter is missing or empty. Linear in the length of the query, except for
 * sorting the names.
 */
export function parseSignedQuery(rawQuery: string): SignedQuery {
  const { signature, signed } = collect(rawQuery);
  const authKey = required(signed, 'auth_key');
  const timestamp = required(signed, 'auth_timestamp');
  if (signature === undefined || signature === '') throw missing('auth_signature');
  const bodyMd5 = signed.get('body_md5');
  return { authKey, timestamp, signature, bodyMd5, parameters: signed, canonical: canonicalQuery(signed) };
}

interface Collected {
  readonly signature: string | undefined;
  /** By lower-case name, as names are signed. */
  readonly signed: ReadonlyMap<string, string>;
}

/** Splits and decodes a raw query. */
export function collect(rawQuery: string): Collected {
  const all = new Map<string, string>();
  let misspelt: string | null = null;
  for (const piece of rawQuery.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = formDecode(equals < 0 ? piece : piece.slice(0, equals));
    const value = equals < 0 ? '' : formDecode(piece.slice(equals + 1));
    const lower = name.toLowerCase();
    if (AMBIGUOUS_NAME.test(name) || AMBIGUOUS_VALUE.test(value)) throw ambiguous();
    if (all.has(lower) && AUTHENTICATION.has(lower)) throw repeated(lower);
    if (lower !== name && AUTHENTICATION.has(lower)) misspelt ??= lower;
    all.set(lower, value);
  }
  if (misspelt !== null) throw missing(misspelt);
  const signature = all.get('auth_signature');
  all.delete('auth_signature');
  return { signature, signed: all };
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
const ambiguous = () =>
  new ServiceError('invalid_input', { text: 'a parameter cannot be told from several, once signed' });
