import { isJsonObject, memberOf, parseJsonObject, type JsonObject } from '../json/parse-object.js';
import { membersOfText, objectText } from '../json/map-members.js';
import { rawMember } from '../json/raw-member.js';
import type { WireNames } from './wire-names.js';

/** A header's value. */
export type HeaderValue = string | number | boolean;

/** Members of `extras` read by the service. */
export interface ReadExtras {
  /** JSON text; null: none. */
  readonly headersText: string | null;
  readonly ephemeral: boolean;
  /** Null: not given. */
  readonly echo: boolean | null;
  readonly idempotencyKey: string | null;
}

const isHeaderValue = (value: unknown): value is HeaderValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Returns the problem of `extras.headers`, from any API; null if it is an object of strings, numbers and booleans. */
export function headersProblem(headers: unknown): string | null {
  if (!isJsonObject(headers)) return 'headers must be an object';
  const [name, value] = Object.entries(headers).find(([, one]) => !isHeaderValue(one)) ?? [];
  if (name === undefined) return null;
  const given = value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object';
  return `headers must hold only strings, numbers and booleans, but ${JSON.stringify(name.slice(0, MAX_SHOWN))} is ${given}`;
}

/** Characters of a header name that an error repeats. */
const MAX_SHOWN = 64;

/** Why `extras` cannot be read, as words for the client. */
export interface ExtrasProblem {
  readonly problem: string;
}

/** Parses `extras` from its JSON text; or returns its problem. */
export function readExtras(text: string): ReadExtras | ExtrasProblem {
  const extras = parseJsonObject(text);
  if (extras === null) return { problem: 'extras must be an object' };
  const headers = memberOf(extras, 'headers');
  const problem = headers === undefined ? null : headersProblem(headers);
  if (problem !== null) return { problem: `extras.${problem}` };
  const ephemeral = flag(extras, 'ephemeral');
  const echo = flag(extras, 'echo');
  if (ephemeral === undefined || echo === undefined) {
    return { problem: 'extras.ephemeral and extras.echo must be booleans' };
  }
  const idempotencyKey = memberOf(extras, 'idempotencyKey');
  if (idempotencyKey !== undefined && typeof idempotencyKey !== 'string') {
    return { problem: 'extras.idempotencyKey must be a string' };
  }
  return {
    headersText: headers === undefined ? null : rawMember(text, 'headers'),
    ephemeral: ephemeral === true,
    echo,
    idempotencyKey: idempotencyKey ?? null,
  };
}

/** Null: not given. Undefined: not a boolean. */
function flag(extras: JsonObject, name: string): boolean | null | undefined {
  const value = memberOf(extras, name);
  if (value === undefined) return null;
  return typeof value === 'boolean' ? value : undefined;
}

/** Members of `extras` consumed by the service, not delivered. */
const CONSUMED: ReadonlySet<string> = new Set(['idempotencyKey', 'push']);

/** Features that keep their member in `extras`. */
export interface ExtrasRules {
  readonly ephemeralEnabled: boolean;
  readonly echoControlEnabled: boolean;
  readonly names: WireNames;
}

/** Returns the delivered `extras`, values as written; null: none. */
export function deliveredExtras(text: string, rules: ExtrasRules): string | null {
  return objectText(
    [...membersOfText(text)].flatMap(([name, valueText]) => {
      if (CONSUMED.has(name)) return [];
      if (name === 'ephemeral' && !rules.ephemeralEnabled) return [];
      if (name === 'echo' && !rules.echoControlEnabled) return [];
      const kept = name === 'headers' ? withoutReserved(valueText, rules.names) : valueText;
      return kept === null ? [] : [[name, kept] as const];
    }),
  );
}

function withoutReserved(headersText: string, names: WireNames): string | null {
  if (!headersText.startsWith('{')) return null;
  // Null counts as absent, and binary formats have no null for a header.
  const given = [...membersOfText(headersText)].filter(([, value]) => value !== 'null');
  return objectText(given.filter(([name]) => !names.isReservedHeader(name)));
}

/** The text of `extras` with the service's headers as clients know them. */
export function extrasToWire(text: string, names: WireNames): string {
  if (names.vendor === 'service' || !text.includes('service_')) return text;
  const members = [...membersOfText(text)].map(([name, valueText]) =>
    name === 'headers' && valueText.startsWith('{')
      ? ([name, headersToWire(valueText, names)] as const)
      : ([name, valueText] as const),
  );
  return objectText(members) ?? '{}';
}

function headersToWire(text: string, names: WireNames): string {
  return (
    objectText([...membersOfText(text)].map(([name, value]) => [names.headerToWire(name), value] as const)) ??
    '{}'
  );
}
