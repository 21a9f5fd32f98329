import type { Call } from '../options.js';
import { defined, queryOf } from '../requests/names.js';
import { pathOf } from '../requests/transport.js';
import { type Caller, callOf } from './caller.js';
import { firstPage, type Page } from './page.js';

/** An object of the push API, in its own (camelCase) names. */
type Body = Readonly<Record<string, unknown>>;

export interface PushMessage extends Body {
  readonly recipients: readonly Body[] | Body;
  readonly payload: Body;
  /** Absent: a generated one. */
  readonly publishId?: string;
  readonly notBeforeMs?: number;
  readonly expiresAtMs?: number;
}

export interface PushPublished {
  readonly publishId: string;
  readonly status: string;
  readonly duplicate?: boolean;
  readonly [more: string]: unknown;
}

export interface ListOptions extends Call {
  readonly limit?: number;
}

type Provider = 'apns' | 'fcm' | 'hms' | 'webpush' | 'wns';

/** Push notifications. */
export class Push {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Accepts a notification. A repetition of the call with the same `publishId` has no second effect. */
  publish(message: PushMessage, options: Call = {}): Promise<PushPublished> {
    return this.#post('/push/publish', this.#keyed(message), options);
  }

  publishBatch(
    messages: readonly PushMessage[],
    options: Call = {},
  ): Promise<{ items: readonly PushPublished[] }> {
    return this.#post(
      '/push/batch/publish',
      messages.map((message) => this.#keyed(message)),
      options,
    );
  }

  status(publishId: string, options: Call = {}): Promise<Body> {
    return this.#caller.read(`/push/publish${pathOf(publishId)}/status`, {}, options);
  }

  /** Cancels a scheduled notification. */
  async cancel(jobId: string, options: Call = {}): Promise<void> {
    await this.#delete(`/push/scheduled${pathOf(jobId)}`, {}, options);
  }

  deadLetters({
    provider,
    sinceMs,
    untilMs,
    ...rest
  }: {
    readonly provider?: Provider;
    readonly sinceMs?: number;
    readonly untilMs?: number;
  } & ListOptions = {}): Promise<Page<Body>> {
    return this.#list('/push/deadLetters', { provider, sinceMs, untilMs }, rest);
  }

  replay(deadLetterId: string, options: Call = {}): Promise<Body> {
    const path = `/push/deadLetters${pathOf(deadLetterId)}/replay`;
    return this.#caller.call({ ...callOf(options), method: 'POST', path, idempotent: false });
  }

  readonly devices = {
    register: (device: Body, options: Call = {}): Promise<Body> =>
      this.#post('/push/deviceRegistrations', device, options),
    list: ({
      clientId,
      deviceId,
      ...rest
    }: { readonly clientId?: string; readonly deviceId?: string } & ListOptions = {}): Promise<Page<Body>> =>
      this.#list('/push/deviceRegistrations', { clientId, deviceId }, rest),
    get: (id: string, options: Call = {}): Promise<Body> =>
      this.#caller.read(`/push/deviceRegistrations${pathOf(id)}`, {}, options),
    remove: async (id: string, options: Call = {}): Promise<void> => {
      await this.#delete(`/push/deviceRegistrations${pathOf(id)}`, {}, options);
    },
    removeWhere: (
      filter: { readonly clientId?: string; readonly deviceId?: string },
      options: Call = {},
    ): Promise<Body> => this.#delete('/push/deviceRegistrations', filter, options),
  };

  readonly subscriptions = {
    add: (subscription: Body, options: Call = {}): Promise<Body> =>
      this.#post('/push/channelSubscriptions', subscription, options),
    list: ({
      channel,
      deviceId,
      ...rest
    }: { readonly channel?: string; readonly deviceId?: string } & ListOptions = {}): Promise<Page<Body>> =>
      this.#list('/push/channelSubscriptions', { channel, deviceId }, rest),
    remove: (
      filter: { readonly channel?: string; readonly deviceId?: string },
      options: Call = {},
    ): Promise<Body> => this.#delete('/push/channelSubscriptions', filter, options),
    channels: (options: ListOptions = {}): Promise<Page<string>> =>
      this.#list('/push/channelSubscriptions/channels', {}, options),
  };

  readonly templates = {
    put: (template: Body, options: Call = {}): Promise<Body> =>
      this.#post('/push/templates', template, options),
    list: (options: ListOptions = {}): Promise<Page<Body>> => this.#list('/push/templates', {}, options),
    get: (id: string, options: Call = {}): Promise<Body> =>
      this.#caller.read(`/push/templates${pathOf(id)}`, {}, options),
    remove: async (id: string, options: Call = {}): Promise<void> => {
      await this.#delete(`/push/templates${pathOf(id)}`, {}, options);
    },
  };

  readonly credentials = {
    put: (provider: Provider, credential: Body, options: Call = {}): Promise<Body> =>
      this.#post(`/push/credentials${pathOf(provider)}`, credential, options),
    list: (options: ListOptions = {}): Promise<Page<Body>> => this.#list('/push/credentials', {}, options),
  };

  #keyed(message: PushMessage): Body {
    const key = message.publishId ?? this.#caller.nextKey();
    return { idempotency_key: key, ...message, publishId: key };
  }

  #post<Answer>(path: string, body: unknown, call: Call): Promise<Answer> {
    return this.#caller.call({ ...callOf(call), method: 'POST', path, body, idempotent: true });
  }

  #delete<Answer>(
    path: string,
    filter: Readonly<Record<string, string | undefined>>,
    call: Call,
  ): Promise<Answer> {
    const query = queryOf(defined(filter));
    return this.#caller.call({ ...callOf(call), method: 'DELETE', path, query, idempotent: true });
  }

  #list<Item>(path: string, filter: Body, { limit, ...call }: ListOptions): Promise<Page<Item>> {
    return firstPage((cursor) => this.#caller.read(path, queryOf({ ...filter, limit, cursor }), call));
  }
}
