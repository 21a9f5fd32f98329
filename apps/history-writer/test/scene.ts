import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { CommitClient, RemoteLanes, systemClock } from '@carillon/history-writer';
import { type Config, configure } from '@carillon/config';
import type { CommitRecordOf, CommitResult } from '@carillon/contracts';
import { Databases } from '@carillon/database';
import { engine } from '@carillon/test-backends';
import { openBroker, type OpenedBroker } from '@carillon/broker';
import {
  type HistoryStore,
  historyTables,
  PostgresHistoryStore,
  SERVER_SPREAD,
} from '@carillon/history-store';
import { createParts } from '@carillon/runtime';
import { programOf, type SpawnedNode, spawnNode } from '@carillon/testing';
import { expect, onTestFinished, vi } from 'vitest';

const MAIN = programOf(fileURLToPath(new URL('../src/main.js', import.meta.url)));

const QUICK = {
  ENVIRONMENT: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_ENABLED: 'false',
  LOG_OUTPUT_FORMAT: 'json',
  SHUTDOWN_GRACE_PERIOD: '0',
  HISTORY_ENABLED: 'true',
};

/** A program that may refuse to start. */
export const run = (env: Record<string, string>, ...args: string[]): SpawnedNode =>
  spawnNode(MAIN, args, { ...QUICK, ...env });

/** Runs until it is ready, and is gone after the test. */
export async function ready(env: Record<string, string>): Promise<SpawnedNode> {
  const process = run(env);
  onTestFinished(async () => void (await process.kill()));
  await process.says(/"message":"ready"/);
  return process;
}

function configured(env: Record<string, string>): Config {
  const outcome = configure({
    process: 'history-writer',
    argv: [],
    env: { ...QUICK, RUST_LOG: 'off', ...env },
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

/** A broker's corner and an empty database, with a publisher and a reader of its own. */
export interface Installation {
  readonly env: Record<string, string>;
  readonly broker: OpenedBroker;
  readonly client: CommitClient;
  readonly store: HistoryStore;
}

export async function installation(): Promise<Installation> {
  const [nats, corner] = await Promise.all([
    (await engine('nats')).isolate(),
    (await engine('postgres')).isolate(),
  ]);
  const { hostname, port, username, password, pathname } = new URL(corner.url);
  const env = {
    ADAPTER_DRIVER: 'nats',
    // Publishers need it; a writer only reads the same settings.
    CACHE_DRIVER: 'redis',
    NATS_SERVERS: nats.url,
    NATS_PREFIX: nats.name,
    DATABASE_POSTGRES_HOST: hostname,
    DATABASE_POSTGRES_PORT: port,
    DATABASE_POSTGRES_USERNAME: username,
    DATABASE_POSTGRES_PASSWORD: password,
    DATABASE_POSTGRES_DATABASE: pathname.slice(1),
  };
  const config = configured(env);
  const parts = createParts(config);
  const { metrics, logging } = parts;
  const log = logging.for('test');
  const broker = await openBroker({ config, metrics, log, onFault: () => {} });
  const { table_prefix: prefix, write_timeout_ms: writeTimeoutMs } = config.history.postgres;
  const tables = [historyTables(prefix, SERVER_SPREAD)];
  const database = new Databases(parts).use('postgres', tables);
  onTestFinished(async () => {
    await broker.close();
    await database.close();
    await corner.end();
  });
  await vi.waitFor(async () => expect(await broker.health()).toBeNull(), { timeout: 10_000 });
  const options = { prefix, spread: SERVER_SPREAD, now: Date.now };
  const client = new CommitClient(
    {
      clock: systemClock,
      transport: new RemoteLanes(broker.lanes),
      random: Math.random,
      resent: () => {},
    },
    {
      lanes: config.history.writer_shards,
      nodeId: 'test',
      budgetMs: writeTimeoutMs,
      maxRecordBytes: 1 << 24,
    },
  );
  return { env, broker, client, store: new PostgresHistoryStore(database, options) };
}

export function publishOf(channel: string, data: string): CommitRecordOf<'publish'> {
  const messageId = randomUUID();
  return {
    op: 'publish',
    pub_id: randomUUID(),
    app_id: 'shop',
    channel,
    message_id: messageId,
    message: JSON.stringify({ event: 'e', channel, data, message_id: messageId }),
    policy: {
      history_ms: 86_400_000,
      versions_ms: null,
      max_messages: null,
      max_bytes: null,
      versioned: false,
      cache: false,
      ai: null,
    },
  };
}

/** Durations and results. */
export interface Outcome {
  readonly channel: string;
  readonly data: string;
  readonly result: CommitResult;
  readonly tookMs: number;
}

/** Publishes so many of them to each channel, one after another and all channels side by side. */
export async function publishAll(
  client: CommitClient,
  channels: readonly string[],
  each: number,
): Promise<Outcome[]> {
  const ofChannel = async (channel: string): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (let count = 0; count < each; count += 1) {
      const begunMs = performance.now();
      const [result] = await client.commit([publishOf(channel, String(count))]);
      if (result === undefined) throw new Error('no result');
      outcomes.push({ channel, data: String(count), result, tookMs: performance.now() - begunMs });
    }
    return outcomes;
  };
  return (await Promise.all(channels.map(ofChannel))).flat();
}
