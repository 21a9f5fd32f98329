import { queueNames } from '@carillon/contract';
import { CannotOpen } from '@carillon/push-store';
import { deadLetter, type Job, type Settlement } from '@carillon/queue';
import { Controller, Inject } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { decodeItem } from './pipeline/items.js';
import { publishNamed, readBatch, readFeedback, readRetry, readShard } from './pipeline/payloads.js';
import { PUSH_TRANSPORT, PUSH_WORKER } from './tokens.js';
import type { PushWorker } from './worker.js';

const MALFORMED = deadLetter('malformed');

/** What an item holds, as a reader understands it; null: it does not. */
function payloadOf<Value>(
  job: Job,
  read: (payload: Readonly<Record<string, unknown>>) => Value | null,
): Value | null {
  const item = decodeItem(job.data);
  return item === null ? null : read(item.payload);
}

/** Work of push, from its queues. What cannot be read becomes a dead letter. */
@Controller()
export class PushWorkerController {
  constructor(@Inject(PUSH_WORKER) private readonly worker: PushWorker) {}

  @EventPattern(queueNames.pushPublish, PUSH_TRANSPORT)
  async plan(@Payload() job: Job): Promise<Settlement | void> {
    const named = payloadOf(job, publishNamed);
    if (named === null) return MALFORMED;
    try {
      return await this.worker.planner.plan(named.appId, named.publishId);
    } catch (error) {
      if (!(error instanceof CannotOpen) && !(error instanceof SyntaxError)) throw error;
      await this.worker.fail(named.appId, named.publishId, 'the publish cannot be read');
      return deadLetter('unreadable publish');
    }
  }

  @EventPattern(queueNames.pushShards, PUSH_TRANSPORT)
  async shard(@Payload() job: Job): Promise<Settlement | void> {
    const shard = payloadOf(job, readShard);
    return shard === null ? MALFORMED : this.worker.planner.runShard(shard);
  }

  @EventPattern('push.delivery', PUSH_TRANSPORT)
  async dispatch(@Payload() job: Job): Promise<Settlement | void> {
    const batch = payloadOf(job, readBatch);
    return batch === null ? MALFORMED : this.worker.dispatcher.dispatch(batch, job);
  }

  @EventPattern(queueNames.pushResults, PUSH_TRANSPORT)
  async feedback(@Payload() job: Job): Promise<Settlement | void> {
    const feedback = payloadOf(job, readFeedback);
    return feedback === null ? MALFORMED : this.worker.results.add(feedback);
  }

  @EventPattern(queueNames.pushRetry, PUSH_TRANSPORT)
  async retry(@Payload() job: Job): Promise<Settlement | void> {
    const entry = payloadOf(job, readRetry);
    if (entry !== null) return this.worker.retrier.retry(entry);
    this.worker.countMalformed();
    return MALFORMED;
  }
}
