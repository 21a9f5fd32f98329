import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppRegistryModule } from '@carillon/app-registry';
import { configure } from '@carillon/config';
import { engine } from '@carillon/test-backends';
import {
  PUSH_PROVIDERS_TOKEN,
  PUSH_TRANSPORT,
  PUSH_WORKER,
  PushModule,
  type PushWorker,
  WORKER_STAGES,
  PUSH,
  type PushService,
} from '@carillon/push-core';
import { MemoryClouds, type Network, openProviders } from '@carillon/push-providers';
import { PUSH_STORE, type PushStore, PushStoreModule } from '@carillon/push-store';
import { PUSH_QUEUE, PushQueueModule, type Queue, type QueueTransport } from '@carillon/queue';
import { RateLimitModule } from '@carillon/rate-limit';
import { connectDependencies, createLogging, createParts, RuntimeModule } from '@carillon/runtime';
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { UwsHttpAdapter, UwsModule, UwsServer } from '@carillon/uws';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PushApiModule } from '../src/index.js';

const ENV = {
  RUST_LOG: 'trace',
  HEALTH_CHECK_CACHE_MS: '0',
  PUSH_ALLOW_MEMORY_DRIVERS: 'true',
  SERVICE_DEFAULT_APP_ID: 'shop',
  SERVICE_DEFAULT_APP_KEY: 'shop-key',
  SERVICE_DEFAULT_APP_SECRET: 'shop-secret',
  PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a master key',
  PUSH_FCM_ENABLED: 'true',
  PUSH_APNS_ENABLED: 'true',
  PUSH_WEBPUSH_ENABLED: 'true',
  PUSH_HMS_ENABLED: 'true',
  PUSH_WNS_ENABLED: 'true',
  FCM_PROVIDER_TOKEN: 'static-fcm-token',
  FCM_PROJECT_ID: 'a-project',
  APNS_PROVIDER_TOKEN: 'static-apns-token',
  APNS_TOPIC: 'com.example',
  PUSH_RETRY_INITIAL_BACKOFF_MS: '1',
  PUSH_RETRY_MAX_BACKOFF_MS: '5',
  PUSH_SCHEDULER_INTERVAL_SECS: '1',
  QUEUE_SHUTDOWN_TIMEOUT_MS: '500',
};

/** `embedded`: the database that comes along, which is for one process and so for a queue in memory. */
export type Storage = 'embedded' | 'memory' | 'mysql' | 'postgres';
export type Broker = 'memory' | 'nats' | 'rabbitmq' | 'redis';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  // Decoded as documented for each route.
  readonly body: Readonly<Record<string, unknown>> & {
    readonly items: readonly Readonly<Record<string, unknown>>[];
  };
  readonly text: string;
}

export interface Scene {
  readonly clouds: MemoryClouds;
  readonly store: PushStore;
  readonly queue: Queue;
  /** Push operations of the process. */
  readonly push: PushService;
  /** Everything that was logged. */
  readonly logged: () => string;
  readonly metrics: () => Promise<string>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Resolves with the status of a publish when it matches. */
  until(
    publishId: string,
    isThere: (status: Readonly<Record<string, unknown>>) => boolean,
  ): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** A process with push in it, over real stores and brokers and clouds in memory. */
export async function openScene(
  storage: Storage = 'memory',
  broker: Broker = 'memory',
  env: Record<string, string> = {},
  toml = '',
  /** Real clients of providers in this world, instead of clouds in memory. */
  network?: Network,
): Promise<Scene> {
  const ends: (() => Promise<void>)[] = [];
  const places = { ...(await storageEnv(storage, ends)), ...(await brokerEnv(broker, ends)) };
  const outcome = configure({
    process: 'server',
    argv: ['--config', '/push.toml'],
    env: { ...ENV, ...places, ...env },
    cwd: '/nowhere',
    files: { exists: () => true, read: () => toml },
    drivers: {
      'push.storage_driver': ['memory', 'postgres', 'mysql'],
      'push.queue_driver': ['memory', 'nats', 'rabbitmq', 'redis'],
    },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const lines: string[] = [];
  const logging = createLogging(
    { debug: true, colors_enabled: false, include_target: true, format: 'json', filter: 'trace' },
    { terminal: false, destination: { write: (line) => lines.push(line) } },
  );
  const parts = { ...createParts(outcome.config), logging };
  const clouds = new MemoryClouds();

  @Global()
  @Module({
    providers: [
      {
        provide: PUSH_PROVIDERS_TOKEN,
        useValue:
          outcome.config.push.dry_run || network !== undefined
            ? openProviders(outcome.config, undefined, network)
            : clouds,
      },
    ],
    exports: [PUSH_PROVIDERS_TOKEN],
  })
  class Clouds {}

  @Module({
    imports: [
      Clouds,
      RuntimeModule.forProcess(parts),
      UwsModule,
      AppRegistryModule,
      RateLimitModule,
      PushQueueModule,
      PushStoreModule,
      PushModule.offering(WORKER_STAGES),
      PushApiModule,
    ],
  })
  class Root {}

  const server = new UwsServer();
  const adapter = new UwsHttpAdapter(server, { bodyLimitBytes: 1 << 20, trustHops: 0 });
  const app = await NestFactory.create(Root, adapter, { logger: false });
  app.connectMicroservice({ strategy: app.get<QueueTransport>(PUSH_TRANSPORT) });
  await app.init();
  await app.startAllMicroservices();
  await connectDependencies(parts.startup.dependencies, {
    // The first start of the database that comes along makes it.
    startup_timeout_ms: storage === 'embedded' ? 100_000 : 20_000,
    log: parts.logging.for('test'),
  });
  parts.process.advance('RUNNING');
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const port = address.kind === 'tcp' ? address.port : 0;
  const send: Scene['send'] = (method, path, body, headers = {}) =>
    sendSigned(port, method, path, body, headers);
  return {
    clouds,
    store: app.get<PushStore>(PUSH_STORE),
    queue: app.get<Queue>(PUSH_QUEUE),
    push: app.get<PushService>(PUSH),
    logged: () => lines.join('\n'),
    metrics: () => parts.metrics.text(),
    send,
    async until(publishId, isThere) {
      for (let tries = 0; tries < 400; tries += 1) {
        const { body } = await send('GET', `/publish/${publishId}/status`);
        if (isThere(body)) return body;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      const { text } = await send('GET', `/publish/${publishId}/status`);
      throw new Error(`it did not become what was asked: ${text}`);
    },
    async close() {
      await app.get<PushWorker>(PUSH_WORKER).close();
      await app.get<Queue>(PUSH_QUEUE).close();
      await app.get<PushStore>(PUSH_STORE).close();
      await app.close();
      for (const end of ends) await end();
    },
  };
}

async function storageEnv(storage: Storage, ends: (() => Promise<void>)[]): Promise<Record<string, string>> {
  if (storage === 'memory') return {};
  if (storage === 'embedded') {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-push-'));
    ends.push(async () => rmSync(folder, { recursive: true }));
    return { PUSH_STORAGE_DRIVER: 'postgres', DATABASE_POSTGRES_EMBEDDED_PATH: folder };
  }
  const { url, end } = await (await engine(storage === 'mysql' ? 'mariadb' : 'postgres')).isolate();
  ends.push(end);
  const { hostname, port, username, password, pathname } = new URL(url);
  const prefix = `DATABASE_${storage.toUpperCase()}`;
  return {
    PUSH_STORAGE_DRIVER: storage,
    [`${prefix}_HOST`]: hostname,
    [`${prefix}_PORT`]: port,
    [`${prefix}_USERNAME`]: username,
    [`${prefix}_PASSWORD`]: password,
    [`${prefix}_DATABASE`]: pathname.slice(1),
  };
}

async function brokerEnv(broker: Broker, ends: (() => Promise<void>)[]): Promise<Record<string, string>> {
  if (broker === 'memory') return {};
  if (broker === 'nats') {
    const { url, name } = await (await engine('nats')).isolate();
    return { PUSH_QUEUE_DRIVER: 'nats', NATS_SERVERS: url, NATS_PREFIX: name };
  }
  if (broker === 'rabbitmq') {
    const { url, name } = await (await engine('rabbitmq')).isolate();
    return { PUSH_QUEUE_DRIVER: 'rabbitmq', RABBITMQ_URL: url, RABBITMQ_PREFIX: name };
  }
  const redis = await engine('redis');
  const { name, end } = await redis.isolate();
  ends.push(end);
  const { hostname, port } = new URL(redis.url);
  return {
    PUSH_QUEUE_DRIVER: 'redis',
    DATABASE_REDIS_HOST: hostname,
    DATABASE_REDIS_PORT: port,
    QUEUE_REDIS_PREFIX: name,
  };
}

const KEY = prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' });

/** A request to `/apps/shop/push…`; a path with a query is signed with it. */
async function sendSigned(
  port: number,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const [place = '', query = ''] = path.split('?');
  const rawPath = `/apps/${headers['x-test-app'] ?? 'shop'}/push${place}`;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const parameters = new URLSearchParams(query);
  const signed = signRequest(
    { method, rawPath, body: text, query: Object.fromEntries(parameters) },
    KEY,
    Date.now() / 1000,
  );
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path: `${rawPath}?${signed}`, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString('utf8');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: (answer === '' ? {} : JSON.parse(answer)) as Answer['body'],
          text: answer,
        });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

export const fcmDevice = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  formFactor: 'phone',
  platform: 'android',
  timezone: 'Europe/Madrid',
  locale: 'es-ES',
  push: { recipient: { transportType: 'gcm', registrationToken: `secret-token-of-${id}` } },
  ...more,
});
