import { ServiceError } from '@carillon/errors';
import type { HttpRequest } from '@carillon/uws';
import { invalid, StreamRefusal } from '../admission/refusal.js';
import { type ChannelEntry, queryMember, type RequestMembers } from './request-members.js';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const tooLarge = (text: string): StreamRefusal =>
  new StreamRefusal(new ServiceError('payload_too_large', { text }), { label: 'invalid' });

/** Reads the body of a POST; its members take precedence over those of the query. */
export function readBody(request: HttpRequest, query: URLSearchParams, maxBytes: number): RequestMembers {
  if ((request.rawBody?.length ?? 0) > maxBytes) throw tooLarge(`The body is larger than ${maxBytes} bytes`);
  const body = objectOf(request);
  const { channels } = body;
  if (!Array.isArray(channels)) throw invalid('channels must be a list');
  const { filter, rewind } = body;
  const defaults = {
    ...(filter === undefined || filter === null ? {} : { filter }),
    ...(rewind === undefined || rewind === null ? {} : { rewind: rewindOf(rewind) }),
  };
  const fromQuery = queryMember(query);
  return {
    entries: channels.map((one: unknown, index) => entryOf(one, index, defaults)),
    member: (name) => (Object.hasOwn(body, name) ? textOf(name, body[name]) : fromQuery(name)),
  };
}

function objectOf(request: HttpRequest): Members {
  let body: unknown;
  try {
    body = request.body;
  } catch {
    throw invalid('the body is not valid JSON');
  }
  if (isObject(body)) return body;
  throw invalid('the body must be a JSON object with channels');
}

function entryOf(entry: unknown, index: number, defaults: object): ChannelEntry {
  if (typeof entry === 'string') return { ...defaults, channel: entry };
  if (!isObject(entry) || typeof entry['channel'] !== 'string')
    throw invalid(`channels[${index}] must be a name, or an object with channel`);
  const { delta: _, rewind, ...members } = entry;
  const own = rewind === undefined || rewind === null ? {} : { rewind: rewindOf(rewind) };
  return { ...defaults, ...members, ...own, channel: entry['channel'] };
}

/** The short form of seconds, as in a query, is also taken. */
function rewindOf(rewind: unknown): unknown {
  const found = typeof rewind === 'string' ? /^([1-9]\d{0,14})s$/.exec(rewind) : null;
  return found === null ? rewind : { seconds: Number(found[1]) };
}

function textOf(name: string, value: unknown): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  throw invalid(`${name} must be a text or a number`);
}
