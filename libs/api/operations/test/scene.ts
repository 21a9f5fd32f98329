import { App } from '@carillon/app-registry';
import { MemoryCache } from '@carillon/cache';
import { parseAppRecord, type Config } from '@carillon/config';
import { LocalBroker, type LiveEvent } from '@carillon/broker';
import { MemoryPresence } from '@carillon/presence';
import { ChannelPublisher, LivePublisher, StoredLastEvents } from '@carillon/history-publish';
import { MemoryRateLimit } from '@carillon/rate-limit';
import { createLogging, Metrics } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { onTestFinished } from 'vitest';
import { createOperations } from '../src/index.js';

export const SHOP = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };

/** The configuration of this environment, everything else at its default. */
export const configOf = configuration;

/** An app as the registry finds it. */
export function appOf(stored: object, config: Config): App {
  const parsed = parseAppRecord(stored, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return new App(parsed.record, config);
}

/** The operations of a process with everything in memory and no face. */
export function openOperations(stored: object = SHOP, env: Record<string, string> = {}) {
  const config = configOf(env);
  const logging = createLogging(
    { debug: false, colors_enabled: false, include_target: true, format: 'json', filter: 'off' },
    { terminal: false, destination: { write: () => undefined } },
  );
  const log = logging.for('service::api');
  const metrics = new Metrics({ prefix: 'service_', port: 6001, log });
  const delivered: LiveEvent[] = [];
  const broker = new LocalBroker('node-1', () => undefined);
  const sockets = new Map<string, number>();
  broker.listen({
    deliver: (event) => void delivered.push(event),
    answer: ((kind: string) => (kind.endsWith('sockets_count') ? sockets : 0)) as never,
  });
  const cache = new MemoryCache({ capacity: 10_000, defaultTtlMs: 0, cleanupIntervalMs: 60_000 });
  onTestFinished(() => cache.close());
  const lastEvents = new StoredLastEvents({ cache, ttlMs: 3_600_000, maxRecordBytes: 1 << 24 });
  const operations = createOperations({
    push: null,
    config,
    publisher: new ChannelPublisher(new LivePublisher({ broker, lastEvents, log }), null),
    cache,
    broker,
    rateLimit: new MemoryRateLimit(),
    metrics,
    log,
    live: { presence: new MemoryPresence({ onObserverFault: () => undefined }), lastEvents },
    lastEvents,
    history: null,
  });
  return { operations, app: appOf(stored, config), delivered, sockets };
}
