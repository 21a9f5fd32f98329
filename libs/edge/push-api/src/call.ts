import type { App } from '@carillon/app-registry';
import { type Channels, refusalError } from '@carillon/channels';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import { type Caller, invalid, type RequestRules } from '@carillon/push';
import { deviceUrlRules, type JsonObject } from '@carillon/push-providers';
import type { HttpRequest } from '@carillon/uws';

const CAPABILITY = 'x-service-push-capability';
const IDENTITY = 'x-service-device-identity-token';
const ROTATE = 'x-service-rotate-device-identity-token';
const YES = new Set(['1', 'true', 'TRUE', 'yes']);
/** An app's id as it may stand in what push keeps. */
const APP_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** What is answered. */
export interface Reply {
  readonly status: 200 | 201 | 202 | 204;
  /** Absent: nothing is said. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallParts {
  readonly config: Config;
  readonly channels: Channels;
}

/** A signed request to a route of push. */
export class Call {
  readonly caller: Caller;
  readonly rules: RequestRules;

  /**
   * @throws ServiceError `forbidden` for a capability that is unknown or not enough, `auth_failed` for a device without
   * its token.
   */
  constructor(
    readonly app: App,
    private readonly query: ReadonlyMap<string, string>,
    readonly request: HttpRequest,
    { config, channels }: CallParts,
    forDevices: boolean,
  ) {
    if (!APP_ID.test(app.id)) throw invalid('the app id must have 1 to 128 letters, digits, _ and -');
    this.caller = callerOf(request);
    if (this.caller.kind === 'device' && !forDevices) {
      throw new ServiceError('forbidden', { text: 'this needs the capability push-admin' });
    }
    this.rules = {
      deviceUrls: deviceUrlRules(config),
      maxKeyBytes: config.idempotency.max_key_length,
      checkChannel: (name) => {
        const channel = channels.publishTarget(app, name);
        if (!channel.accepted) throw refusalError(channel);
        return channel.name;
      },
    };
  }

  get appId(): string {
    return this.app.id;
  }

  get body(): unknown {
    const text = Buffer.from(this.request.rawBody ?? []).toString('utf8');
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw invalid('the body must be JSON');
    }
  }

  segment(name: string): string {
    return this.request.params[name] ?? '';
  }

  /** Undefined: it is not given. */
  parameter(name: string): string | undefined {
    return this.query.get(name.toLowerCase()) ?? this.query.get(name);
  }

  /** As a filter: undefined: not given; given blank, it is a mistake. */
  filter(name: string): string | undefined {
    const value = this.parameter(name);
    if (value !== undefined && value.trim() === '') throw invalid(`${name} must not be empty`);
    return value;
  }

  header(name: string): string | undefined {
    return this.request.header(name);
  }

  get quotaOverride(): boolean {
    return this.header('x-service-push-quota-override') !== undefined;
  }
}

function callerOf(request: HttpRequest): Caller {
  const capability = request.header(CAPABILITY);
  if (capability === undefined || capability === 'push-admin') {
    return { kind: 'admin', rotates: YES.has(request.header(ROTATE) ?? '') };
  }
  if (capability === 'push-subscribe') return { kind: 'device', token: identityOf(request) };
  throw new ServiceError('forbidden', { text: 'the push capability is not known' });
}

/** Null: there is none. */
function identityOf(request: HttpRequest): string | null {
  const own = request.header(IDENTITY);
  if (own !== undefined) return own;
  const [scheme, token = '', ...more] = (request.header('authorization') ?? '').split(' ');
  return scheme?.toLowerCase() === 'bearer' && token !== '' && more.length === 0 ? token : null;
}

const MOST_ITEMS = 1000;
const CURSOR_BYTES = 2048;

type Position = readonly (string | number)[];

/** How a list is asked for: how many, behind what. */
export interface Page {
  readonly limit: number;
  /** Null: from the beginning. */
  readonly after: Position | null;
}

export function pageOf(call: Call, kind: string, columns: number): Page {
  const text = call.parameter('limit') ?? '100';
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_ITEMS) throw invalid('limit must be between 1 and 1000');
  const cursor = call.parameter('cursor');
  return { limit, after: cursor === undefined ? null : positionOf(cursor, call.appId, kind, columns) };
}

function positionOf(cursor: string, appId: string, kind: string, columns: number): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  let read: unknown = null;
  try {
    read = bytes.length <= CURSOR_BYTES ? JSON.parse(bytes.toString('utf8')) : null;
  } catch {
    read = null;
  }
  if (typeof read !== 'object' || read === null) throw invalid('the cursor is not valid');
  const { appId: ofApp, kind: ofKind, position } = read as JsonObject;
  const isPosition =
    Array.isArray(position) &&
    position.length === columns &&
    position.every((one) => typeof one === 'string' || typeof one === 'number');
  if (ofApp !== appId || ofKind !== kind || !isPosition) throw invalid('the cursor is not valid');
  return position;
}

/** A page of a list, of which one more than `limit` was read. */
export function listed<Row>(
  call: Call,
  kind: string,
  rows: readonly Row[],
  limit: number,
  shape: (row: Row) => unknown,
  positionOfRow: (row: Row) => Position,
): Reply {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  const cursor = (row: Row): string =>
    Buffer.from(
      JSON.stringify({ appId: call.appId, kind, position: positionOfRow(row), issuedAtMs: Date.now() }),
    ).toString('base64url');
  return {
    status: 200,
    body: { items: items.map(shape), next_cursor: more ? cursor(last) : null, has_more: more },
  };
}
