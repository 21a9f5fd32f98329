import type { ApiRequest } from '../api.js';
import { CarillonError } from '../error.js';

/** Restricts the requests that a browser may have signed, and the user it acts as. */
export interface ForwardRules {
  /** The user id of the app's own session, whose device is registered for push; absent: push is not permitted. */
  readonly clientId?: string;
}

const MESSAGES =
  /^\/channels\/[^/]+\/messages\/[^/]+(\/(versions|update|delete|append|annotations(\/[^/]+)?))?$/;
const DEVICES = /^\/push\/deviceRegistrations(\/[^/]+)?$/;
const PUSH_SUBSCRIPTIONS = '/push/channelSubscriptions';
const SOCKET_ID = /^\d+\.\d+$/;
const PUSH_HEADERS = /^x-[a-z]+-(push-capability|device-identity-token)$/;

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(membersOf(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

const refused = (why: string): CarillonError => new CarillonError(why, { status: 403 });

/**
 * Returns the part of a forwarded (`forwardTo`) browser request that may be signed. Throws if it is not permitted.
 * Changes and annotations must name the connection whose rights they use; the service checks those.
 */
export function checkForwarded(asked: unknown, rules: ForwardRules = {}): ApiRequest {
  const { method, path, query, body, headers } = membersOf(asked);
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') throw refused('No such method');
  if (typeof path !== 'string') throw refused('No path');
  if (MESSAGES.test(path)) return messages({ method, path, query: textsOf(query), body: membersOf(body) });
  if (rules.clientId === undefined) throw refused('Not for browsers');
  const about = { method, path, query: textsOf(query), body: membersOf(body) } as const;
  return push(about, textsOf(headers), rules.clientId);
}

interface Asked {
  readonly method: ApiRequest['method'];
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Members;
}

function messages({ method, path, query, body }: Asked): ApiRequest {
  const actor = body['socket_id'] ?? body['socketId'] ?? query['socket_id'] ?? query['socketId'];
  const reads = method === 'GET' && !/\/annotations(\/|$)/.test(path);
  if (!reads && !(typeof actor === 'string' && SOCKET_ID.test(actor))) throw refused('Whose rights?');
  return { method, path, query, ...(method === 'POST' ? { body } : {}) };
}

function push(
  { method, path, query, body }: Asked,
  headers: Readonly<Record<string, string>>,
  clientId: string,
): ApiRequest {
  if (!DEVICES.test(path) && path !== PUSH_SUBSCRIPTIONS) throw refused('Not for browsers');
  const asDevice = Object.entries(headers).filter(([name]) => PUSH_HEADERS.test(name));
  const speaks = asDevice.some(([name]) => name.endsWith('device-identity-token'));
  const isModest = asDevice.some(([, value]) => value === 'push-subscribe');
  const registers = DEVICES.test(path) && method === 'POST';
  // Only a device that is not known yet is registered with the app's own rights, and only for this user.
  if (!(speaks && isModest) && !registers) throw refused('Which device?');
  const own = registers ? { ...body, clientId } : body;
  return {
    method,
    path,
    query,
    headers: Object.fromEntries(speaks && isModest ? asDevice : []),
    ...(method === 'POST' ? { body: own } : {}),
  };
}
