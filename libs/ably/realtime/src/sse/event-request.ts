import { CompatError, readChannelName } from '@carillon/ably-core';
import type { HttpRequest } from '@carillon/uws';

/** Channels of one event stream. */
const MAX_CHANNELS = 50;
const MAX_REWIND = 100;
const MIN_VERSION = 1;

/** The form in which events are written. */
export type EventForm = 'event-stream' | 'ndjson';

/** An event stream that a client requests. */
export interface EventRequest {
  /** Names of channels, each once. */
  readonly names: readonly string[];
  /** Messages of the past to start with; null: none. */
  readonly rewind: number | null;
  /** Whether events carry whole messages; else their data alone. */
  readonly isEnveloped: boolean;
  /** Whether heartbeats are events; else comments. */
  readonly hasHeartbeatEvents: boolean;
}

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/**
 * Reads the query.
 *
 * @throws CompatError 40000 or 40010 that names the parameter.
 */
export function readEventRequest({ query }: HttpRequest): EventRequest {
  const { v = '', rewind = '' } = query;
  if (v !== '' && !(/^\d{1,9}(\.\d{1,9})?$/.test(v) && Number(v) >= MIN_VERSION))
    throw malformed(`v "${v.slice(0, 32)}" is not a version`);
  return {
    names: namesOf(query),
    rewind: rewind === '' ? null : rewindOf(rewind),
    isEnveloped: flagOf(query, 'enveloped', true),
    hasHeartbeatEvents: flagOf(query, 'heartbeats', false),
  };
}

/** The id to resume from; null: none was sent. The header wins, since a browser repeats the URL unchanged. */
export const lastEventId = (request: HttpRequest): string | null =>
  request.header('last-event-id') || request.query['lastEvent'] || null;

function namesOf(query: HttpRequest['query']): readonly string[] {
  const { separator = ',' } = query;
  const list = query['channels'] || query['channel'] || '';
  if (separator === '') throw malformed('separator must not be empty');
  const names = [...new Set(list.split(separator).filter((name) => name !== ''))];
  if (names.length === 0) throw malformed('channels is required');
  if (names.length > MAX_CHANNELS) throw malformed(`channels has more than ${MAX_CHANNELS} names`);
  for (const name of names) readChannelName(name);
  return names;
}

function rewindOf(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MAX_REWIND) throw malformed(`rewind must be an integer from 1 to ${MAX_REWIND}`);
  return count;
}

function flagOf(query: HttpRequest['query'], name: string, fallback: boolean): boolean {
  const value = query[name] || String(fallback);
  if (value !== 'true' && value !== 'false') throw malformed(`${name} must be true or false`);
  return value === 'true';
}
