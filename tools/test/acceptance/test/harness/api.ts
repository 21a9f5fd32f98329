import { type RawAnswer, rawHttp } from '@carillon/testing';
import { signedQuery } from './signatures.js';
import type { Tenant } from './tenant.js';

/** What a publish may carry besides its name, data and channels. */
export interface PublishOptions {
  readonly socket_id?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly extras?: unknown;
}

/** Where parts of the HTTP API are: a proxy in front of an api node sends calls about live sockets to a gateway. */
export interface ApiPorts {
  readonly live: number;
  readonly other: number;
}

/** Paths below the app that are about live sockets. */
const LIVE = /^\/(channels(\/[^/]+(\/users)?)?|users\/.*)$/;

/** What a call may carry. */
export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The signed HTTP API of one app, as its server uses it. */
export class Api {
  constructor(
    private readonly ports: ApiPorts,
    private readonly tenant: Tenant,
  ) {}

  /** `path` below the app, encoded as it is to be sent. */
  request(
    method: 'DELETE' | 'GET' | 'POST',
    path: string,
    { query = {}, body, headers = {} }: Sent = {},
  ): Promise<RawAnswer> {
    const full = `/apps/${this.tenant.id}${path}`;
    const signed = signedQuery(this.tenant, method, full, query, body);
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    return rawHttp(LIVE.test(path) ? this.ports.live : this.ports.other, {
      method,
      path: `${full}?${signed}`,
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** The parsed body of an answer that must be 200. */
  async #ok(answering: Promise<RawAnswer>): Promise<unknown> {
    const answer = await answering;
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body);
  }

  /** Publishes to one channel or several. When it resolves, every socket of this node has the event in its queue. */
  async publish(
    channels: string | readonly string[],
    name: string,
    data: unknown,
    options: PublishOptions = {},
  ): Promise<void> {
    const target = typeof channels === 'string' ? { channel: channels } : { channels };
    const body = JSON.stringify({ name, ...target, data, ...options });
    await this.#ok(this.request('POST', '/events', { body }));
  }

  /** Publishes a body that is exactly this text. */
  async publishText(body: string): Promise<void> {
    await this.#ok(this.request('POST', '/events', { body }));
  }

  /** The state of a channel. */
  async channel(name: string, info = ''): Promise<Record<string, unknown>> {
    const query: Record<string, string> = info === '' ? {} : { info };
    const path = `/channels/${encodeURIComponent(name)}`;
    return (await this.#ok(this.request('GET', path, { query }))) as Record<string, unknown>;
  }

  /** How many sockets are subscribed to it. */
  async subscriptionCount(channel: string): Promise<number> {
    return Number((await this.channel(channel, 'subscription_count')).subscription_count);
  }

  /** The ids of a presence channel's members, sorted. */
  async users(channel: string): Promise<string[]> {
    const path = `/channels/${encodeURIComponent(channel)}/users`;
    const { users } = (await this.#ok(this.request('GET', path))) as { users: { id: string }[] };
    return users.map(({ id }) => id).sort();
  }

  /** Ends or moves the connections of a user. */
  async user(userId: string, action: 'terminate_connections' | 'force_reconnect'): Promise<unknown> {
    return this.#ok(this.request('POST', `/users/${encodeURIComponent(userId)}/${action}`, { body: '{}' }));
  }
}
