import { encodeFactV1 } from '@carillon/protocol';
import { request, type IncomingMessage } from 'node:http';
import { App } from '@carillon/app-registry';
import { MemoryCache, type Cache } from '@carillon/cache';
import { parseAppRecord, type Config } from '@carillon/config';
import { LocalBroker, type Answer, type Broker, type BrokerListener, type LiveEvent } from '@carillon/broker';
import { createOperations, type HistoryAccess, type MessageAccess } from '@carillon/api-operations';
import type { WebhookEvents } from '@carillon/webhooks';
import { MemoryPresence, type Presence } from '@carillon/presence';
import {
  type BatchPublisher,
  ChannelPublisher,
  type LastEvents,
  LivePublisher,
  type Publisher,
  StoredLastEvents,
} from '@carillon/history-publish';
import { MemoryRateLimit, type RateLimit } from '@carillon/rate-limit';
import { createLogging, Metrics } from '@carillon/runtime';
import { prepareSigningKey, signRequest, type SigningKey } from '@carillon/auth';
import { UwsHttpAdapter, UwsServer, type AdapterOptions } from '@carillon/uws';
import { configuration } from '@carillon/testing';
import { expect, onTestFinished } from 'vitest';
import { NO_BODY, undocumented } from './documented.js';
import { mountHttpApi } from '../src/mount.js';

/** Server time of every test. */
export const NOW = 1_760_000_000;

/** Simulated sockets of the process. */
export class Sockets implements BrokerListener {
  readonly delivered: LiveEvent[] = [];
  readonly asked: { kind: string; appId: string; about: unknown }[] = [];
  /** Sockets per channel. */
  counts = new Map<string, number>();
  /** Answers nothing when true, as a process that hangs does. */
  isSilent = false;
  /** Answer for every connection. */
  acting: Answer['acting_socket'] = null;
  /** Connections that a revocation closes here. */
  holders = 0;

  deliver(event: LiveEvent): void {
    this.delivered.push(event);
  }

  answer<Kind extends keyof Answer>(kind: Kind, appId: string, about: unknown): Answer[Kind] {
    this.asked.push({ kind, appId, about });
    if (this.isSilent) throw new Error('silent');
    return this.#answer(kind, about) as Answer[Kind];
  }

  /** The frames of one channel, parsed. */
  frames(channel: string): unknown[] {
    return this.delivered
      .filter((event) => event.channel === channel)
      .map(({ fact }) => JSON.parse(encodeFactV1(fact) ?? '') as unknown);
  }

  #answer(kind: keyof Answer, about: unknown): unknown {
    if (kind === 'channels_with_sockets_count') {
      const { prefix } = about as { prefix: string };
      return new Map([...this.counts].filter(([name]) => name.startsWith(prefix)));
    }
    if (kind === 'batch_channel_sockets_count') {
      const { channels } = about as { channels: string[] };
      return new Map([...this.counts].filter(([name]) => channels.includes(name)));
    }
    if (kind === 'acting_socket') return this.acting;
    return kind === 'token_revoked' ? this.holders : 0;
  }
}

export interface SceneOptions {
  /** Names and values of the environment, which set the configuration. */
  readonly env?: Record<string, string>;
  /** Settings that have no variable. */
  readonly settings?: Partial<Config>;
  readonly role?: 'default' | 'api';
  /** Apps in the stored form; absent: `shop`. */
  readonly apps?: readonly object[];
  readonly adapter?: AdapterOptions;
  readonly cache?: (real: Cache) => Cache;
  /** One that knows no series: they go the real way. */
  readonly publisher?: (real: BatchPublisher, live: LivePublisher) => BatchPublisher | Publisher;
  readonly broker?: (real: Broker) => Broker;
  readonly presence?: (real: Presence) => Presence;
  readonly lastEvents?: (real: LastEvents) => LastEvents;
  readonly rateLimit?: RateLimit;
  /** Looks up apps that are not cached. */
  readonly findByKey?: (key: string) => Promise<App | null>;
  readonly now?: () => number;
  /** Absent: this process has no way to histories. */
  readonly history?: HistoryAccess;
  readonly messages?: MessageAccess;
  readonly webhooks?: Pick<WebhookEvents, 'emit' | 'wants'>;
}

export const SHOP = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };

/** The configuration of this environment, everything else at its default. */
export const configOf = configuration;

const withSeries = (publisher: BatchPublisher | Publisher, real: BatchPublisher): BatchPublisher =>
  'publishSeries' in publisher
    ? publisher
    : { ...publisher, publishSeries: (publications) => real.publishSeries(publications) };

/** An app as the registry finds it. */
export function appOf(stored: object, config: Config): App {
  const parsed = parseAppRecord(stored, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return new App(parsed.record, config);
}

/** The API on a free port of 127.0.0.1, over everything in memory. Closed when the test ends. */
export async function openScene(options: SceneOptions = {}) {
  const config = { ...configOf(options.env ?? {}), ...options.settings };
  const lines: string[] = [];
  const logging = createLogging(
    { debug: true, colors_enabled: false, include_target: true, format: 'json', filter: 'trace' },
    { terminal: false, destination: { write: (line) => lines.push(line) } },
  );
  const log = logging.for('service::api');
  const metrics = new Metrics({ prefix: 'service_', port: 6001, log });
  const faults: unknown[] = [];
  const server = new UwsServer();
  const adapter = new UwsHttpAdapter(server, {
    bodyLimitBytes: config.http_api.request_limit_in_mb * 1024 * 1024,
    trustHops: config.rate_limiter.api_rate_limit.trust_hops,
    onFault: (error) => faults.push(error.cause ?? error),
    ...options.adapter,
  });
  const sockets = new Sockets();
  const local = new LocalBroker('node-1', () => undefined);
  local.listen(sockets);
  const memory = new MemoryCache({ capacity: 10_000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  const cache = options.cache?.(memory) ?? memory;
  const stored = new StoredLastEvents({ cache: memory, ttlMs: 3_600_000, maxRecordBytes: 1 << 24 });
  const livePublisher = new LivePublisher({ broker: local, lastEvents: stored, log });
  const real = new ChannelPublisher(livePublisher, null);
  const realPresence = new MemoryPresence({ onObserverFault: () => undefined });
  const apps = new Map(
    (options.apps ?? [SHOP]).map((one) => appOf(one, config)).map((app) => [app.key, app]),
  );
  const rateLimit = options.rateLimit ?? new MemoryRateLimit();
  const nowSeconds = options.now ?? (() => NOW);
  const operations = createOperations({
    push: null,
    config,
    publisher: withSeries(options.publisher?.(real, livePublisher) ?? real, real),
    cache,
    broker: options.broker?.(local) ?? local,
    rateLimit,
    metrics,
    log,
    live:
      options.role === 'api'
        ? null
        : {
            presence: options.presence?.(realPresence) ?? realPresence,
            lastEvents: options.lastEvents?.(stored) ?? stored,
          },
    lastEvents: stored,
    history: options.history ?? null,
    ...(options.messages === undefined ? {} : { messages: options.messages }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    nowSeconds,
  });
  const byKey = {
    peekByKey: (key: string) => apps.get(key),
    findByKey: options.findByKey ?? (async () => null),
    fresh: () => undefined,
  };
  mountHttpApi(adapter, { config, apps: byKey, cache, operations, rateLimit, metrics, log, nowSeconds });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const port = address.kind === 'tcp' ? address.port : 0;
  onTestFinished(async () => {
    server.close();
    await memory.close();
  });
  const [first] = [...apps.values()];
  if (first === undefined) throw new Error('a scene needs an app');
  const key = keyOf(first);
  return {
    port,
    key,
    app: first,
    operations,
    config,
    sockets,
    lines,
    faults,
    metrics,
    cache: memory,
    presence: realPresence,
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

export function keyOf({ id, key, record }: App): SigningKey {
  return prepareSigningKey({ appId: id, key, secret: record.secret.reveal() });
}

/** The same object, but for some of its methods. */
export function overriding<Real extends object>(real: Real, own: Partial<Real>): Real {
  return new Proxy(real, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in own ? own : target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

/** A response. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

export interface CallOptions {
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly key?: SigningKey;
  readonly nowSeconds?: number;
}

/** Sends anything, signed or not. */
export async function send(
  { port }: Pick<Scene, 'port'>,
  method: string,
  url: string,
  body?: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const response = await new Promise<IncomingMessage>((answered, failed) => {
    const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, answered);
    sent.on('error', failed).end(body);
  });
  const text = ((await response.toArray()) as Buffer[]).join('');
  const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const status = response.statusCode ?? 0;
  return { status, headers: new Headers(pairs), text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Sends a signed request below `/apps/shop`. A body that is no string is sent as JSON. The response is checked
 * against the OpenAPI document.
 */
export async function call(
  scene: Scene,
  method: string,
  path: string,
  body?: unknown,
  { query = {}, headers = {}, key = scene.key, nowSeconds = NOW }: CallOptions = {},
): Promise<Answered> {
  const rawPath = `/apps/${key.appId}${path}`;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const toSign = { method, rawPath, query, ...(text === undefined ? {} : { body: text }) };
  const url = `${rawPath}?${signRequest(toSign, key, nowSeconds)}`;
  const answer = await send(scene, method, url, text, headers);
  const isRouted = answer.status !== 404 && answer.status !== 405;
  const sent = text === undefined ? NO_BODY : parsed(text);
  if (isRouted) expect(undocumented({ ...answer, method, path, sent })).toEqual([]);
  return answer;
}

export const publish = (scene: Scene, body: unknown, options?: CallOptions) =>
  call(scene, 'POST', '/events', body, options);
export const publishBatch = (scene: Scene, batch: unknown, options?: CallOptions) =>
  call(scene, 'POST', '/batch_events', { batch }, options);
export const read = (scene: Scene, path: string, query: Record<string, string> = {}) =>
  call(scene, 'GET', path, undefined, { query });

/** The error of a row; without a text, any text. */
export const refused = (status: number, code: string, error?: string) => ({
  status,
  body: { error: error ?? (expect.any(String) as unknown), code, status },
});

/** Returns the value of a counter, 0 if the series is missing. */
export async function counted(scene: Scene, name: string, labels: Record<string, string>): Promise<number> {
  const samples = await scene.metrics.samples();
  const found = samples.find(
    (one) =>
      one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return found?.value ?? 0;
}
