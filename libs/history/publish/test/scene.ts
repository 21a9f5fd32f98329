import { encodeFactV1, type Message } from '@carillon/protocol';
import type { Cache, CacheEntry } from '@carillon/cache';
import { LocalBroker, type Broker, type LiveEvent } from '@carillon/broker';
import * as fc from 'fast-check';
import {
  LivePublisher,
  StoredLastEvents,
  type LivePublisherParts,
  type Publication,
  type Publisher,
  type Receipt,
} from '../src/index.js';

const TTL_MS = 3_600_000;

export function publication(more: Partial<Publication> = {}): Publication {
  return {
    appId: 'shop',
    channel: 'orders',
    event: 'created',
    dataText: '"{}"',
    userId: null,
    exceptSocketId: null,
    messageId: null,
    isLastEvent: false,
    history: null,
    tagsText: null,
    extrasText: null,
    key: null,
    ...more,
  };
}

/** A server publish to a cache channel. */
export const last = (event: string, more: Partial<Publication> = {}): Publication =>
  publication({ channel: 'cache-prices', event, isLastEvent: true, ...more });

/** The names of events in the order delivered. */
export const namesOf = (delivered: readonly LiveEvent[]): unknown[] =>
  delivered.map(({ fact }) => (fact.kind === 'message' ? fact.event : fact.kind));

/** Outcome of a publish, synchronous or not. */
export const publish = (publisher: Publisher, published: Publication): Promise<Receipt> =>
  Promise.resolve(publisher.publish(published));

const text = fc.string({ unit: 'binary' });

/** Arbitrary publications. */
export const anyPublication: fc.Arbitrary<Publication> = fc.record({
  appId: text,
  channel: text,
  event: text,
  dataText: fc.oneof(
    fc.json(),
    fc.json().map((json) => JSON.stringify(json)),
    fc.constant(' {"a" : 1e400}\n'),
  ),
  userId: fc.option(text),
  exceptSocketId: fc.option(fc.constant('12.34')),
  messageId: fc.option(text),
  isLastEvent: fc.constant(false),
  history: fc.constant(null),
  tagsText: fc.constant(null),
  extrasText: fc.constant(null),
  key: fc.constant(null),
});

/** A cache that answers immediately or on request. */
export class TestCache implements Pick<
  Cache,
  'compareAndRemove' | 'compareAndSwap' | 'entry' | 'set' | 'setIfAbsent'
> {
  readonly entries = new Map<string, CacheEntry>();
  /** Every record in the order stored. */
  readonly stored: string[] = [];
  /** Called before each operation; waits, or rejects as a store out of reach. */
  before: (value?: string) => Promise<void> = () => Promise.resolve();

  async entry(name: string): Promise<CacheEntry | null> {
    await this.before();
    return this.entries.get(name) ?? null;
  }

  async set(name: string, value: string, ttlMs = 0): Promise<void> {
    await this.before(value);
    this.entries.set(name, { value, ttlMs: ttlMs === 0 ? null : ttlMs });
    this.stored.push(value);
  }

  async setIfAbsent(name: string, value: string, ttlMs: number): Promise<boolean> {
    await this.before(value);
    if (this.entries.has(name)) return false;
    this.entries.set(name, { value, ttlMs });
    this.stored.push(value);
    return true;
  }

  async compareAndRemove(name: string, expected: string): Promise<boolean> {
    await this.before();
    return this.entries.get(name)?.value === expected && this.entries.delete(name);
  }

  async compareAndSwap(name: string, expected: string, value: string, ttlMs: number): Promise<boolean> {
    await this.before(value);
    if (this.entries.get(name)?.value !== expected) return false;
    this.entries.set(name, { value, ttlMs });
    this.stored.push(value);
    return true;
  }
}

export interface Scene {
  readonly publisher: Publisher;
  readonly lastEvents: StoredLastEvents;
  readonly cache: TestCache;
  /** Events delivered to local subscribers. */
  readonly delivered: LiveEvent[];
  readonly lines: string[];
}

export interface SceneOptions {
  /** In place of the broker's own. */
  readonly publish?: (event: LiveEvent, local: Broker) => Promise<void> | undefined;
  readonly bounds?: LivePublisherParts['bounds'];
}

/** A publisher of a process with sockets, by default over a local broker. */
export function scene({
  publish = (event, local) => local.publish(event),
  bounds,
}: SceneOptions = {}): Scene {
  const delivered: LiveEvent[] = [];
  const lines: string[] = [];
  const local = new LocalBroker('node', (_, error) => {
    throw error;
  });
  local.listen({
    deliver: (event) => void delivered.push(event),
    answer: () => {
      throw new Error('nothing is asked here');
    },
  });
  const cache = new TestCache();
  const lastEvents = new StoredLastEvents({ cache, ttlMs: TTL_MS, maxRecordBytes: 100_000 });
  const broker = { publish: (event: LiveEvent) => publish(event, local) };
  const log = { warn: (message: string) => void lines.push(message) };
  const publisher = new LivePublisher({
    broker,
    lastEvents,
    log,
    ...(bounds === undefined ? {} : { bounds }),
  });
  return { publisher, lastEvents, cache, delivered, lines };
}

/** Broker that is unavailable: only local delivery happens. */
export function cutOff(reason: Error): SceneOptions['publish'] {
  return async (event, local) => {
    await local.publish(event);
    throw reason;
  };
}

/** A message as it is kept. */
export const message = (more: Partial<Message> = {}): Message => ({
  kind: 'message',
  channel: 'cache-a',
  event: 'e',
  name: null,
  dataText: '1',
  userId: null,
  messageId: 'm',
  tagsText: null,
  extrasText: null,
  streamId: null,
  serial: null,
  action: 'plain',
  isFromClient: false,
  mayBeDelta: true,
  ...more,
});

/** The frame that protocol 1 subscribers get. */
export const frameOf = (event: LiveEvent | undefined): string | null =>
  event === undefined ? null : encodeFactV1(event.fact);
