import { kindOf, CHANNEL_KINDS, metaBase } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';
import { type ConnectRules, parseConnectOptions, type V2ConnectOptions } from '@carillon/protocol';
import type { HttpRequest } from '@carillon/uws';
import { bearerToken } from '../admission/accept.js';
import { invalid, StreamRefusal } from '../admission/refusal.js';
import { readBody } from './event-body.js';
import { type ChannelEntry, queryMember, type RequestMembers } from './request-members.js';

/** An event stream as a client requests it. */
export interface EventRequest {
  /** Every channel once, in order. */
  readonly entries: readonly ChannelEntry[];
  /** The ticket that is signed instead of a socket id; null: the request has none. */
  readonly ticket: string | null;
  readonly token: string | null;
  readonly connect: V2ConnectOptions;
  /** Empty: none. */
  readonly lastEventId: string;
}

export interface EventRequestRules {
  readonly connect: ConnectRules;
  readonly maxChannels: number;
  readonly maxBodyBytes: number;
}

/** A ticket is valid for a day at most. */
const MAX_TICKET_SECONDS = 86_400;
const CONNECT_PARAMETERS = ['append_mode', 'append_rollup_window', 'client', 'version'] as const;

/** Reads an event stream request. Throws a {@link StreamRefusal} that names the parameter. */
export function readEventRequest(
  request: HttpRequest,
  rules: EventRequestRules,
  nowSeconds = Math.floor(Date.now() / 1000),
): EventRequest {
  const query = new URLSearchParams(request.rawQuery);
  const { entries, member } =
    request.method === 'POST' ? readBody(request, query, rules.maxBodyBytes) : readQuery(query);
  const unique = [...new Map(entries.toReversed().map((entry) => [entry.channel, entry])).values()].reverse();
  if (unique.length === 0) throw invalid('channels must name at least one channel');
  if (unique.length > rules.maxChannels)
    throw invalid(`channels must name at most ${rules.maxChannels} channels, not ${unique.length}`);
  const isSigned = unique.some(({ auth }) => auth !== undefined);
  return {
    entries: unique,
    ticket: ticketOf(member('expires'), isSigned, nowSeconds),
    token: bearerToken(request.header('authorization')) ?? member('token'),
    connect: connectOptions(member, rules.connect),
    lastEventId: lastEventIdOf(request, member),
  };
}

/** The header counts, because a browser repeats the URL unchanged when it reconnects. */
export function lastEventIdOf(request: HttpRequest, member: RequestMembers['member']): string {
  const header = request.header('last-event-id') ?? '';
  return header === '' ? (member('last_event_id') ?? member('lastEventId') ?? '') : header;
}

function readQuery(query: URLSearchParams): RequestMembers {
  const member = queryMember(query);
  const listed = query.getAll('channels').flatMap((list) => list.split(','));
  const channels = [...new Set([...listed, ...query.getAll('channel')])].filter((name) => name !== '');
  const auths = query.getAll('auth').flatMap((list) => list.split(','));
  const signed = channels.filter((name) => metaBase(name) === null && CHANNEL_KINDS[kindOf(name)].signed);
  if (auths.length > 0 && auths.length !== signed.length)
    throw invalid(
      `auth must have ${signed.length} signatures, one per channel that needs one, not ${auths.length}`,
    );
  const authOf = new Map(signed.map((name, index) => [name, auths[index]]));
  const filter = filterOf(member('filter'));
  const rewind = rewindOf(member('rewind'));
  return {
    member,
    entries: channels.map((channel) => ({
      channel,
      ...(authOf.get(channel) === undefined ? {} : { auth: authOf.get(channel) }),
      ...(filter === null ? {} : { filter }),
      ...(rewind === null ? {} : { rewind }),
    })),
  };
}

function filterOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('filter must be JSON');
  }
}

function rewindOf(text: string | null): object | null {
  if (text === null) return null;
  const found = /^([1-9]\d{0,14})(s?)$/.exec(text);
  if (found === null) throw invalid('rewind must be a number of messages, or of seconds such as 60s');
  const amount = Number(found[1]);
  return found[2] === 's' ? { seconds: amount } : { count: amount };
}

function ticketOf(text: string | null, isSigned: boolean, nowSeconds: number): string | null {
  if (text === null) {
    if (isSigned) throw invalid('expires is required with auth');
    return null;
  }
  const expires = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(expires)) throw invalid('expires must be a time in Unix seconds');
  if (expires > nowSeconds + MAX_TICKET_SECONDS)
    throw invalid(`expires must be at most ${MAX_TICKET_SECONDS} seconds ahead`);
  if (expires <= nowSeconds)
    throw new StreamRefusal(new ServiceError('auth_failed', { text: 'expires is in the past' }), {
      label: 'channel',
      wsCode: 4009,
    });
  return `0.${expires}`;
}

function connectOptions(member: RequestMembers['member'], rules: ConnectRules): V2ConnectOptions {
  const protocol = member('protocol');
  if (protocol !== null && protocol !== '2') throw invalid('protocol must be 2');
  const format = member('format');
  if (format !== null && format !== 'json') throw invalid('format must be json');
  const refusals = member('refusals');
  if (refusals !== null && refusals !== 'status') throw invalid('refusals must be status');
  const query = new URLSearchParams({ protocol: '2' });
  for (const name of CONNECT_PARAMETERS) {
    const value = member(name);
    if (value !== null) query.set(name, value);
  }
  return v2Options(query.toString(), rules);
}

/** Reads connect options of protocol 2, whose faults refuse the stream. */
export function v2Options(rawQuery: string, rules: ConnectRules): V2ConnectOptions {
  try {
    const options = parseConnectOptions(rawQuery, rules);
    if (options.protocol === 2) return options;
  } catch (error) {
    if (error instanceof ServiceError) throw invalid(error.message);
    throw error;
  }
  throw invalid('protocol must be 2');
}
