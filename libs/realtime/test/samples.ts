import { App } from '@carillon/app-registry';
import { parseAppRecord, type AppRecord } from '@carillon/config';
import type { Message } from '@carillon/protocol';
import { Logger, Metrics } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { AppHub } from '../src/apps/app-hub.js';
import type { Codec } from '../src/codec.js';
import type { Edge } from '../src/edge.js';
import { AppMeters } from '../src/metrics.js';
import { Subscriber } from '../src/subscriber/subscriber.js';

/** The configuration of this environment, with defaults for everything else. */
export const config = configuration;

/** A valid record with key `shop-key` and secret `shop-secret`; `policy` is in the stored form. */
function record(policy: object = {}, more: object = {}): AppRecord {
  const parsed = parseAppRecord({ id: 'shop', key: 'shop-key', secret: 'shop-secret', policy, ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

export const app = (policy: object = {}): App => new App(record(policy), config());

const silent = (): Logger => new Logger('test', 'off', () => {});

export const metrics = (): Metrics => new Metrics({ prefix: '', port: 6001, log: silent() });

export const hub = (of: App = app()): AppHub => new AppHub(of, new AppMeters(metrics(), of.id));

/** Test protocol; its frames are the facts themselves. */
export const EDGE: Edge = { protocol: 'test', leaseMs: 0, echoes: () => false };
export const CODEC: Codec = { encode: (fact) => JSON.stringify(fact) };

/** Codec whose frames are the event names. */
export const TEXT: Codec = { encode: (fact) => (fact.kind === 'message' ? fact.event : fact.kind) };

/** A subscriber without a socket. */
export const subscriber = (in_: AppHub = hub(), id = '1.1'): Subscriber =>
  new Subscriber(id, in_, EDGE, CODEC);

export const message = (more: Partial<Message> = {}): Message => ({
  kind: 'message',
  channel: 'news',
  event: 'e',
  name: null,
  dataText: '"{}"',
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
