import {
  type ChannelName,
  CompatError,
  isGiven,
  isObject,
  type JsonObject,
  NOT_GRANTED,
  type DerivedFilters,
  readChannelName,
} from '@carillon/ably-core';
import type { Expression } from '@carillon/filter';
import type { CompatConnection } from './connection.js';
import { askedModes, grantedModes, MODE, modesOf } from './flags.js';
import { type Rewind, rewindOf } from './rewind.js';

/** A validated ATTACH request. */
export interface AttachRequest {
  readonly name: ChannelName;
  /** The message filter; null: all messages. */
  readonly filter: Expression | null;
  readonly asked: number;
  /** The requested modes that the capability grants. */
  readonly modes: number;
  /** The known params, which ATTACHED echoes. */
  readonly params: Readonly<Record<string, string>>;
  /** Null: no rewind. */
  readonly rewind: Rewind | null;
  /** Whether it gets its own messages; null: the connection decides. */
  readonly echoes: boolean | null;
  /** The position to resume from; null: none. */
  readonly channelSerial: string | null;
  /** All options chosen by the client, in text form for comparison. */
  readonly wish: string;
}

const MAX_CHANNELS = 200;
const KNOWN: ReadonlySet<string> = new Set(['rewind', 'rewindCount', 'delta', 'modes', 'echo']);

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/** @throws CompatError if the request is invalid. */
export function readAttach(
  { principal, attachments }: CompatConnection,
  frame: JsonObject,
  filters: DerivedFilters,
): AttachRequest {
  const name = readChannelName(frame['channel']);
  const params = { ...known(name.params), ...known(frame['params']) };
  const filter = name.filter === null ? null : filters.of(name.filter);
  const { delta, echo } = params;
  if (delta !== undefined && delta !== 'vcdiff') throw malformed('delta must be vcdiff');
  if (echo !== undefined && echo !== 'true' && echo !== 'false')
    throw malformed('echo must be true or false');
  const rewind = rewindOf(params);
  const asked = modesFor(frame, params) & (filter === null ? ~0 : MODE.SUBSCRIBE);
  const modes = asked & grantedModes(principal.capability, name.base);
  if (modes === 0) throw new CompatError(40_160, NOT_GRANTED);
  if (attachments.size >= MAX_CHANNELS && !attachments.has(name.text))
    throw new CompatError(90_010, 'too many channels');
  const { channelSerial } = frame;
  return {
    name,
    filter,
    asked,
    modes,
    params,
    rewind,
    echoes: echo === undefined ? null : echo === 'true',
    channelSerial: isGiven(channelSerial) ? String(channelSerial) : null,
    wish: JSON.stringify([frame['params'] ?? null, asked]),
  };
}

function known(value: unknown): Readonly<Record<string, string>> {
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw malformed('params must be an object');
  const params: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    if (!KNOWN.has(name) || !isGiven(one)) continue;
    if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean')
      throw malformed(`${name} must be a scalar`);
    params[name] = String(one);
  }
  return params;
}

function modesFor({ flags }: JsonObject, params: Readonly<Record<string, string>>): number {
  const list = params['modes'];
  if (list === undefined) return askedModes(typeof flags === 'number' ? flags : 0);
  const modes = modesOf(list);
  if (modes === null) throw malformed('a mode is not known');
  return modes;
}
