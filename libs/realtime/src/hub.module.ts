import { APP_REGISTRY } from '@carillon/app-registry';
import { BROKER } from '@carillon/broker';
import { CACHE } from '@carillon/cache';
import { Channels } from '@carillon/channels';
import { HISTORY_READER, READ_TURNS, STREAM_READS } from '@carillon/history-reader';
import { HISTORY_STORE } from '@carillon/history-store';
import { CHANNEL_COUNTS, CONNECTION_QUOTA, PRESENCE } from '@carillon/presence';
import { COMMITS, LAST_EVENTS } from '@carillon/history-publish';
import { REPLAY } from '@carillon/history-positions';
import {
  errorText,
  OCCUPANCY_SOURCE,
  optional,
  type PartsOf,
  provider,
  RUNTIME,
  token,
} from '@carillon/runtime';
import { UwsHttpAdapter } from '@carillon/uws';
import { WEBHOOK_EVENTS } from '@carillon/webhooks';
import { Global, Inject, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { LeftBehind } from './durable/left-behind.js';
import { Hub } from './hub.js';

/** Token of the `Hub` of this process. */
export const HUB = token<Hub>('hub');

/** Drivers of a key-value store that several processes share. */
const SHARED_STORES: ReadonlySet<string> = new Set(['redis', 'redis-cluster']);

/** Name in logs and shutdown. */
const PART = 'sockets';

const PARTS = {
  ...RUNTIME,
  host: HttpAdapterHost,
  apps: APP_REGISTRY,
  broker: BROKER,
  presence: PRESENCE,
  channelCounts: CHANNEL_COUNTS,
  connectionQuota: CONNECTION_QUOTA,
  lastEvents: LAST_EVENTS,
  cache: CACHE,
  webhooks: WEBHOOK_EVENTS,
  streamReads: optional(STREAM_READS),
  commits: optional(COMMITS),
  replay: optional(REPLAY),
  pastReader: optional(HISTORY_READER),
  readTurns: optional(READ_TURNS),
};

function openHub(parts: PartsOf<typeof PARTS>): Hub {
  const { host, config, logging, shutdown, cache, streamReads, commits, replay, pastReader, readTurns } =
    parts;
  const adapter: unknown = host.httpAdapter;
  if (!(adapter instanceof UwsHttpAdapter)) throw new Error('a hub needs the uws platform');
  const compress = config.websocket.compression !== 'disabled';
  const hub = new Hub({
    ...parts,
    sharedStore: SHARED_STORES.has(config.cache.driver) ? cache : null,
    streamReads: streamReads ?? null,
    commits: commits ?? null,
    replay: replay ?? null,
    pastReader: pastReader ?? null,
    readTurns: readTurns ?? null,
    log: logging.for('service::gateway'),
    publish: (topic, frame) => void adapter.publish(topic, frame, typeof frame !== 'string', compress),
  });
  shutdown.onShutdown('close', PART, (context) => hub.closeAll(context));
  shutdown.onShutdown('membership', PART, () => hub.settle());
  shutdown.onShutdown('leave', PART, () => hub.stop());
  return hub;
}

const LEFT_BEHIND = token<LeftBehind | null>('left behind');

const CLEARING_PARTS = {
  ...RUNTIME,
  apps: APP_REGISTRY,
  store: optional(HISTORY_STORE),
  commits: optional(COMMITS),
};

/** Null if other nodes clean up after a crashed one, or if there is nothing to clean up. */
function clearsUp(parts: PartsOf<typeof CLEARING_PARTS>): LeftBehind | null {
  const { config, logging, startup, shutdown, apps, store, commits } = parts;
  if (config.adapter.driver !== 'local' || store === undefined || commits === undefined) return null;
  const log = logging.for('service::history');
  const leftBehind = new LeftBehind({
    store,
    apps,
    commits,
    channels: new Channels(config),
    onTrouble: (what, error) =>
      log.warn(`${what} not taken out`, { error: errorText(error), retryable: true }),
    done: (members) => log.info('members whom a dead process left behind were taken out', { members }),
  });
  startup.needs({ name: 'presence history', connect: async () => void leftBehind.run() });
  shutdown.onShutdown('membership', 'presence history', async () => leftBehind.stop());
  return leftBehind;
}

/** Provides the hub of the process to all protocol adapters. Requires the modules of the packages it injects. */
@Global()
@Module({
  providers: [
    provider(HUB, PARTS, openHub),
    provider(LEFT_BEHIND, CLEARING_PARTS, clearsUp),
    provider(OCCUPANCY_SOURCE, { hub: HUB }, ({ hub }) => hub.occupancy),
  ],
  exports: [HUB, OCCUPANCY_SOURCE],
})
export class HubModule {
  /** Injects the provider so that it is instantiated. */
  constructor(@Inject(LEFT_BEHIND) _leftBehind: LeftBehind | null) {}
}
