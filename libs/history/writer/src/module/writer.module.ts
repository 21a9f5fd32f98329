import { randomBytes, randomUUID } from 'node:crypto';
import { LANE_BROKER, type LaneBroker } from '@carillon/broker';
import { HISTORY_STORE, opensAtStart, type DurableStore } from '@carillon/history-store';
import { optional, provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { WEBHOOK_EVENTS, type WebhookEvents } from '@carillon/webhooks';
import { systemClock } from '../clock.js';
import type { LaneEvents } from '../lane/loop-parts.js';
import { LanesDiffer, Writer } from '../writer/writer.js';
import { orphansOf } from './orphans.js';
import { laneEvents } from './lane-metrics.js';
import { reportWriter, showLanes, writerEvents } from './writer-log.js';

export const COMMIT_WRITER = token<Writer>('commit writer');

const PART = 'commit lanes';
const NONCE_BYTES = 8;
/** Characters of the longest writer id available for the process id. */
const MAX_PROCESS_ID = 64 - 2 * NONCE_BYTES - 1;

/** New at every start, since its serials count from the beginning. */
const newWriterId = (processId: string): string =>
  `${processId.replace(/[^\w.-]/g, '_').slice(0, MAX_PROCESS_ID)}-${randomBytes(NONCE_BYTES).toString('hex')}`;

interface Surroundings extends RuntimeParts {
  readonly broker: LaneBroker;
  readonly store: DurableStore;
  /** Undefined: this process sends no webhooks. */
  readonly webhooks: WebhookEvents | undefined;
}

/**
 * Ties a writer to the life cycle of the process: it takes lanes once all dependencies are ready, and releases them
 * at the stop.
 */
function writerOfProcess(around: Surroundings): Writer {
  const { config, logging, metrics, startup, health, shutdown, broker, store, webhooks } = around;
  const { writer_shards: lanes, writer_queue_capacity: queueCapacity } = config.history;
  const log = logging.for('service::history_writer');
  const writerId = newWriterId(config.instance.process_id);
  let records = 0;
  const counted = laneEvents(metrics, log);
  const events: LaneEvents = {
    ...counted,
    committed: (count, transactionMs) => {
      records += count;
      counted.committed(count, transactionMs);
    },
  };
  const writer = new Writer(
    {
      broker,
      store,
      clock: systemClock,
      lane: { events, newStreamId: randomUUID },
      events: writerEvents(metrics, log),
    },
    { writerId, nodeId: config.instance.process_id, lanes, queueCapacity },
  );
  showLanes(metrics, writer);
  const orphans = orphansOf({
    config,
    log,
    shutdown,
    store,
    webhooks,
    laneHere: (lane) => writer.laneHere(lane),
  });
  const stopping = new AbortController();
  startup.needs({
    name: PART,
    connect: async () => {
      // All parts connect in parallel, and this one uses the store.
      if (opensAtStart(config)) await store.connect();
      await writer.start();
      orphans?.begin();
      void reportWriter(writer, () => records, log, stopping.signal);
    },
    isFinal: (error) => error instanceof LanesDiffer,
  });
  health.register({
    part: PART,
    severity: 'critical',
    check: async () => {
      if (writer.problem !== null) throw new Error(writer.problem);
    },
  });
  shutdown.onShutdown('flush', PART, async () => {
    stopping.abort();
    await orphans?.stop();
    await writer.leave();
  });
  return writer;
}

/** A history-writer in this process. Needs `RuntimeModule`, the broker and the history store. */
@Global()
@Module({
  providers: [
    provider(
      COMMIT_WRITER,
      { ...RUNTIME, broker: LANE_BROKER, store: HISTORY_STORE, webhooks: optional(WEBHOOK_EVENTS) },
      writerOfProcess,
    ),
  ],
  exports: [COMMIT_WRITER],
})
export class WriterModule {}
