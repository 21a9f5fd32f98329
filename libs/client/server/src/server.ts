import { Authority, type Member, type TokenClaims, type User } from './auth/authorize.js';
import { invalid } from './errors.js';
import { type Call, type Credentials, type Options, type Target, targetOf, targetOfUrl } from './options.js';
import { defined, queryOf } from './requests/names.js';
import { signedPairs } from './requests/signing.js';
import { type Method, pathOf, Transport } from './requests/transport.js';
import { Caller, callOf } from './resources/caller.js';
import { ChannelHandle } from './resources/channel.js';
import { Events } from './resources/events.js';
import { Push } from './resources/push.js';
import type {
  BatchEvent,
  BatchOptions,
  BatchResult,
  ChannelInfo,
  Info,
  PublishOptions,
  PublishResult,
  Revocation,
} from './types.js';
import {
  type VerifyOptions,
  type Webhook,
  type WebhookRequest,
  WebhookVerifier,
} from './webhooks/webhook.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** An app's own server towards the service: the signed HTTP API, authorization of clients, and webhooks. */
export class CarillonServer {
  readonly appId: string;
  readonly key: string;
  /** Origin and path prefix of the service. */
  readonly url: string;
  readonly push: Push;
  readonly #transport: Transport;
  readonly #caller: Caller;
  readonly #events: Events;
  readonly #authority: Authority;
  readonly #webhooks: WebhookVerifier;

  /** Takes an app URL (`https://KEY:SECRET@HOST/apps/ID`), or the credentials one by one. */
  constructor(appUrl: string, options?: Options);
  constructor(options: Credentials & Options);
  constructor(where: string | (Credentials & Options), more: Options = {}) {
    const target: Target = typeof where === 'string' ? targetOfUrl(where) : targetOf(where);
    const options = typeof where === 'string' ? more : where;
    const { encryptor, vendor = 'service' } = options;
    const { appId, key, url } = target;
    this.appId = appId;
    this.key = key;
    this.url = url;
    this.#transport = new Transport(target, options);
    const { hmac } = this.#transport;
    this.#caller = new Caller(this.#transport);
    this.#events = new Events(this.#caller, encryptor);
    const nowSeconds = (): number => this.#transport.nowSeconds;
    this.#authority = new Authority({ key, hmac, vendor, nowSeconds, encryptor });
    this.#webhooks = new WebhookVerifier(key, hmac, vendor);
    this.push = new Push(this.#caller);
  }

  /** Reads `CARILLON_APP_URL`, or `CARILLON_URL`, `CARILLON_APP_ID`, `CARILLON_APP_KEY` and `CARILLON_APP_SECRET`. */
  static fromEnv(env: Environment = environment(), options: Options = {}): CarillonServer {
    const appUrl = env['CARILLON_APP_URL'];
    if (appUrl !== undefined && appUrl !== '') return new CarillonServer(appUrl, options);
    const names = ['CARILLON_URL', 'CARILLON_APP_ID', 'CARILLON_APP_KEY', 'CARILLON_APP_SECRET'] as const;
    const missing = names.filter((name) => (env[name] ?? '') === '');
    if (missing.length > 0) throw invalid(`set CARILLON_APP_URL, or also ${missing.join(', ')}`);
    const [url = '', appId = '', key = '', secret = ''] = names.map((name) => env[name]);
    return new CarillonServer({ url, appId, key, secret, ...options });
  }

  /** Publishes an event to one channel or several. */
  publish(
    channels: string | readonly string[],
    event: string,
    data?: unknown,
    options: PublishOptions = {},
  ): Promise<PublishResult> {
    return this.#events.publish(channels, event, data, options);
  }

  /** Publishes events in one request, in order. If one is invalid, none is published. */
  publishBatch(events: readonly BatchEvent[], options: BatchOptions = {}): Promise<BatchResult> {
    return this.#events.publishBatch(events, options);
  }

  /** Publishes to the connections that are signed in as a user. */
  sendToUser(
    userId: string,
    event: string,
    data?: unknown,
    options: PublishOptions = {},
  ): Promise<PublishResult> {
    return this.publish(`#server-to-user-${userId}`, event, data, options);
  }

  channels({
    prefix,
    info,
    ...call
  }: { readonly prefix?: string; readonly info?: readonly Info[] } & Call = {}): Promise<{
    channels: Record<string, ChannelInfo>;
    complete: boolean;
  }> {
    const query = queryOf({ filter_by_prefix: prefix, info: info?.join(',') });
    return this.#caller.read('/channels', query, call);
  }

  channel(name: string): ChannelHandle {
    return new ChannelHandle(name, this.#caller, this.#events);
  }

  /** Closes the connections of a user for good. */
  async terminateUserConnections(userId: string, options: Call = {}): Promise<void> {
    await this.#toUser(userId, 'terminate_connections', options);
  }

  /** Closes the connections of a user so that they reconnect. */
  async forceReconnect(userId: string, options: Call = {}): Promise<void> {
    await this.#toUser(userId, 'force_reconnect', options);
  }

  /** Revokes a token by its id, or all tokens of a client id. */
  revokeTokens(
    target: {
      readonly jti?: string;
      readonly clientId?: string;
      readonly ttlSeconds?: number;
      readonly expiresAt?: Date;
      readonly reason?: string;
    },
    options: Call = {},
  ): Promise<Revocation> {
    const { jti, clientId, ttlSeconds, expiresAt, reason } = target;
    const body = defined({
      jti,
      client_id: clientId,
      ttl_seconds: ttlSeconds,
      expires_at: expiresAt === undefined ? undefined : Math.floor(expiresAt.getTime() / 1000),
      reason,
    });
    const request = { method: 'POST', path: '/revocations', body, idempotent: true } as const;
    return this.#caller.call({ ...callOf(options), ...request });
  }

  /** Returns the body that a channel authorization endpoint answers with. `member`: on presence channels. */
  authorizeChannel(
    socketId: string,
    channel: string,
    member?: Member,
  ): Promise<{ auth: string; channel_data?: string; shared_secret?: string }> {
    return this.#authority.channel(socketId, channel, member);
  }

  /** Returns the body that a user authentication endpoint answers with. */
  authenticateUser(socketId: string, user: User): Promise<{ auth: string; user_data: string }> {
    return this.#authority.user(socketId, user);
  }

  /** Returns a capability token for a client. */
  mintToken(claims: TokenClaims): Promise<string> {
    return this.#authority.token(claims);
  }

  /** Verifies a webhook request by its raw body. Rejects with `WebhookError`. */
  verifyWebhook(request: WebhookRequest, options: VerifyOptions = {}): Promise<Webhook> {
    return this.#webhooks.verify(request, options);
  }

  /** Signs a request that other code sends. `path` is the whole path, as it is sent. */
  async signedQuery({
    timestamp = this.#transport.nowSeconds,
    ...request
  }: {
    readonly method: string;
    readonly path: string;
    readonly query?: Record<string, string>;
    readonly body?: string | Uint8Array;
    readonly timestamp?: number;
  }): Promise<string> {
    const pairs = await signedPairs(this.key, this.#transport.hmac, { ...request, timestamp });
    return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  }

  /** Sends any request below `/apps/ID`; the answer is as the service wrote it. */
  async request<Answer>(
    method: Method,
    path: string,
    options: {
      readonly query?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      /** Whether the request may be repeated although its effect is unknown. Default: only of GET. */
      readonly idempotent?: boolean;
    } & Call = {},
  ): Promise<Answer> {
    const { query, body, idempotent = method === 'GET' } = options;
    const request = { method, path, idempotent, ...defined({ query, body }) };
    return (await this.#transport.request({ ...callOf(options), ...request })) as Answer;
  }

  async #toUser(userId: string, action: string, options: Call): Promise<void> {
    const path = `${pathOf('users', userId)}/${action}`;
    await this.#caller.call({ ...callOf(options), method: 'POST', path, body: {}, idempotent: true });
  }
}

/** The environment of the process; empty where the runtime has none. */
function environment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}
