import { queueNames } from '@carillon/contracts';
import type { JsonObject } from '@carillon/push-providers';
import { CannotOpen, PushStoreUnavailable } from '@carillon/push-store';
import { deadLetter, defer, type Job, QueueUnavailable, type Settlement } from '@carillon/queue';
import { traced } from '@carillon/tracing';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { decodeItem } from './pipeline/items.js';
import { publishNamed, readBatch, readResults, readRetry, readShard } from './pipeline/payloads.js';
import { PUSH_TRANSPORT, PUSH_WORKER } from './tokens.js';
import { MALFORMED } from './upkeep/upkeep.js';
import type { PushWorker } from './worker.js';

const UNREADABLE = deadLetter(MALFORMED);
const AWAY_MS = 1000;

/**
 * Runs the work, or returns it while a dependency is unavailable: an outage uses up no attempts, however long it
 * lasts.
 */
async function unlessAway(
  worker: PushWorker,
  stage: string,
  work: () => Promise<Settlement | void>,
): Promise<Settlement | void> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PushStoreUnavailable) && !(error instanceof QueueUnavailable)) throw error;
    return worker.giveBack(stage, defer(AWAY_MS * (1 + Math.random())));
  }
}

/** Runs the work of an item in the trace of its producer. */
async function worked<Value>(
  worker: PushWorker,
  job: Job,
  stage: string,
  read: (payload: JsonObject) => Value | null,
  work: (value: Value) => Promise<Settlement | void>,
): Promise<Settlement | void> {
  const item = decodeItem(job.data);
  const value = item === null ? null : read(item.payload);
  if (item === null || value === null) return UNREADABLE;
  return traced(
    () => ({ name: `push ${stage}`, kind: 'consumer', parent: item.trace }),
    () => unlessAway(worker, stage, () => work(value)),
  );
}

/** Consumes the queues of push. Unreadable items become dead letters. */
@Controller()
export class PushWorkerController {
  constructor(@Inject(PUSH_WORKER) private readonly worker: PushWorker) {}

  @EventPattern(queueNames.pushPublish, PUSH_TRANSPORT)
  plan(@Payload() job: Job): Promise<Settlement | void> {
    return worked(this.worker, job, 'plan', publishNamed, async ({ appId, publishId }) => {
      try {
        return await this.worker.planner.plan(appId, publishId);
      } catch (error) {
        if (!(error instanceof CannotOpen) && !(error instanceof SyntaxError)) throw error;
        await this.worker.fail(appId, publishId, 'the publish cannot be read');
        return deadLetter('unreadable publish');
      }
    });
  }

  @EventPattern(queueNames.pushShards, PUSH_TRANSPORT)
  shard(@Payload() job: Job): Promise<Settlement | void> {
    return worked(this.worker, job, 'shard', readShard, (shard) => this.worker.planner.runShard(shard));
  }

  @EventPattern('push.delivery', PUSH_TRANSPORT)
  dispatch(@Payload() job: Job): Promise<Settlement | void> {
    return worked(this.worker, job, 'dispatch', readBatch, (batch) =>
      this.worker.dispatcher.dispatch(batch, job),
    );
  }

  @EventPattern(queueNames.pushResults, PUSH_TRANSPORT)
  feedback(@Payload() job: Job): Promise<Settlement | void> {
    return worked(this.worker, job, 'feedback', readResults, (results) => this.worker.results.add(results));
  }

  @EventPattern(queueNames.pushRetry, PUSH_TRANSPORT)
  async retry(@Payload() job: Job): Promise<Settlement | void> {
    const settlement = await worked(this.worker, job, 'retry', readRetry, (entry) =>
      this.worker.retrier.retry(entry),
    );
    if (settlement === UNREADABLE) this.worker.countMalformed();
    return settlement;
  }
}
