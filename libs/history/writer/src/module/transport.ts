import { randomUUID } from 'node:crypto';
import type { Config } from '@carillon/config';
import type { OpenedBroker } from '@carillon/broker';
import { opensAtStart, type DurableStore } from '@carillon/history-store';
import { errorText, type Logger, type Metrics, type Shutdown, type Startup } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import { LocalLanes } from '../client/local-transport.js';
import { NearestLanes } from '../client/nearest-lanes.js';
import { RemoteLanes } from '../client/remote-lanes.js';
import type { CommitTransport } from '../client/transport.js';
import { systemClock } from '../clock.js';
import { LanesDiffer, type Writer } from '../writer/writer.js';
import { orphansOf } from './orphans.js';
import { laneEvents } from './lane-metrics.js';
import { showLanes } from './writer-log.js';

const PART = 'commit client';

export interface TransportSurroundings {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly startup: Startup;
  readonly shutdown: Shutdown;
  readonly broker: OpenedBroker;
  /** Undefined: this process has no store. */
  readonly store: DurableStore | undefined;
  /** Undefined: the writers are elsewhere. */
  readonly writer: Writer | undefined;
  /** Undefined: this process sends no webhooks. */
  readonly webhooks: WebhookEvents | undefined;
}

/** The writers of all lanes in this process. */
export function localTransport(around: TransportSurroundings): CommitTransport {
  const { config, log, metrics, startup, shutdown, broker, store, webhooks } = around;
  if (store === undefined)
    throw new Error('adapter.driver local: the process commits itself and needs a history store');
  const { writer_shards: lanes, writer_queue_capacity: queueCapacity } = config.history;
  const { nodeId } = broker;
  const local = new LocalLanes(
    {
      store,
      clock: systemClock,
      newStreamId: randomUUID,
      fanOut: async (records) => {
        await Promise.all(records.map((record) => broker.lanes.handOver(record)));
      },
      events: laneEvents(metrics, log),
    },
    { lanes, nodeId, writerId: nodeId.replace(/[^\w.-]/g, '_').slice(-64), queueCapacity },
  );
  showLanes(metrics, local);
  if (opensAtStart(config)) {
    startup.needs({
      name: PART,
      connect: async () => {
        // All parts connect in parallel, and this one uses the store.
        await store.connect();
        // This is the only writer, so the number of lanes can be changed.
        await store.agreeOnLanes(lanes, true);
        await local.resendTails();
      },
    });
  }
  local.beginVerifying((error) =>
    log.warn('degraded streams could not be verified', { error: errorText(error), retryable: true }),
  );
  const orphans = orphansOf({
    config,
    log,
    shutdown,
    store,
    webhooks,
    laneHere: (lane) => local.laneInside(lane),
  });
  orphans?.begin();
  shutdown.onShutdown('flush', PART, async () => {
    await orphans?.stop();
    await local.close();
  });
  return local;
}

/** The writers wherever they are. At the start it is seen to that all count the same lanes. */
export function remoteTransport(around: TransportSurroundings): CommitTransport {
  const { config, log, startup, broker, store, writer } = around;
  const { writer_shards: lanes } = config.history;
  const remote = new RemoteLanes(broker.lanes);
  if (writer !== undefined) return new NearestLanes(writer, remote, lanes);
  if (!opensAtStart(config)) return remote;
  startup.needs({
    name: PART,
    connect: async () => {
      const problem = await broker.health();
      if (problem !== null) throw new Error(problem);
      const told = store === undefined ? await remote.lanes(broker.nodeId, lanes) : await store.agreedLanes();
      if (told === null) log.warn('nobody could tell how many commit lanes there are', { lanes });
      else if (told !== lanes)
        throw new LanesDiffer(`history.writer_shards: is ${lanes}, the writers use ${told}`);
    },
    isFinal: (error) => error instanceof LanesDiffer,
  });
  return remote;
}
