import { isJsonObject, memberOf, type JsonObject } from '../json/parse-object.js';
import { readSerial } from './read-serial.js';
import { type InboundFrameV2 } from './requests.js';
import { malformedV2 } from './malformed.js';
import type { HistoryWish } from './history-wish.js';

const DEFAULT_LIMIT = 100;
const MAX_CURSOR_BYTES = 16_384;

const DIRECTIONS: ReadonlyMap<string, HistoryWish['direction']> = new Map([
  ['backwards', 'newest_first'],
  ['reverse', 'newest_first'],
  ['newest_first', 'newest_first'],
  ['forwards', 'oldest_first'],
  ['forward', 'oldest_first'],
  ['oldest_first', 'oldest_first'],
]);

/** A parameter that is wrong. */
class WrongParameter extends Error {}

/** Reads the `data` of a history request; parameters may also be in `params`. */
export function readHistory(data: JsonObject | null, frameChannel: string | null): InboundFrameV2 {
  if (data === null) return malformedV2('channel_history', 'data must be an object', frameChannel);
  const nested = memberOf(data, 'params');
  const params = isJsonObject(nested) ? { ...nested, ...data } : data;
  const channel = memberOf(params, 'channel') ?? frameChannel;
  if (typeof channel !== 'string') {
    return malformedV2('channel_history', 'data.channel must be a string', frameChannel);
  }
  try {
    return { kind: 'channel-history', channel, wish: wishOf(params) };
  } catch (problem) {
    if (!(problem instanceof WrongParameter)) throw problem;
    return malformedV2('channel_history', `data.${problem.message} is not valid`, channel);
  }
}

function wishOf(params: JsonObject): HistoryWish {
  const limit = integer(params, ['limit']) ?? DEFAULT_LIMIT;
  if (limit < 1) throw new WrongParameter('limit');
  const named = memberOf(params, 'direction') ?? 'newest_first';
  const direction = typeof named === 'string' ? DIRECTIONS.get(named) : undefined;
  if (direction === undefined) throw new WrongParameter('direction');
  return {
    limit,
    direction,
    cursor: cursorOf(memberOf(params, 'cursor')),
    startSerial: integer(params, ['start_serial', 'start']),
    endSerial: integer(params, ['end_serial', 'end']),
    startTimeMs: integer(params, ['start_time_ms']),
    endTimeMs: integer(params, ['end_time_ms']),
    untilAttach: flag(params, ['until_attach', 'untilAttach']),
  };
}

function first(params: JsonObject, names: readonly string[]): readonly [name: string, value: unknown] | null {
  const name = names.find((one) => memberOf(params, one) !== undefined);
  return name === undefined ? null : [name, memberOf(params, name)];
}

function integer(params: JsonObject, names: readonly string[]): number | null {
  const found = first(params, names);
  if (found === null) return null;
  const value = readSerial(found[1]);
  if (value === undefined) throw new WrongParameter(found[0]);
  return value;
}

function flag(params: JsonObject, names: readonly string[]): boolean {
  const found = first(params, names);
  if (found === null) return false;
  if (typeof found[1] !== 'boolean') throw new WrongParameter(found[0]);
  return found[1];
}

function cursorOf(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_CURSOR_BYTES) return value;
  throw new WrongParameter('cursor');
}
