import {
  BaseRpcContext,
  type CustomTransportStrategy,
  type MessageHandler,
  Server,
} from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import type { Job, JobHandler, ProcessOptions, Queue } from './port.js';
import type { Settlement } from './settlement.js';

/** Queues of an `@EventPattern`, and how they are consumed. */
export interface Consumed extends ProcessOptions {
  /** Empty: this process does not work on it. */
  readonly queues: readonly string[];
}

/** Nest context of a job handler. */
class JobContext extends BaseRpcContext<[Job]> {
  constructor(readonly job: Job) {
    super([job]);
  }
}

/**
 * Connects `@EventPattern` handlers to queues. A handler receives the job; it acknowledges by resolving, with a
 * settlement for other outcomes, and fails by rejecting, as for `Queue.process`. The queue delivers from its
 * connection until the stop; this class only registers handlers.
 */
export class QueueTransport extends Server implements CustomTransportStrategy {
  /** Handlers name it in their `@EventPattern`, where a process has several. */
  override readonly transportId: symbol;

  constructor(
    transportId: symbol,
    private readonly queue: Queue,
    private readonly consumedBy: (pattern: string) => Consumed,
  ) {
    super();
    this.transportId = transportId;
  }

  listen(callback: () => void): void {
    if (this.queue.capabilities.consume) {
      for (const [pattern, handler] of this.messageHandlers) {
        const { queues, ...options } = this.consumedBy(pattern);
        for (const name of queues) this.queue.process(name, handlerOf(handler), options);
      }
    }
    callback();
  }

  /** Nothing: the queue drains at its own time. */
  close(): void {}

  on(): never {
    throw new Error('the queue tells of its jobs by itself');
  }

  unwrap(): never {
    throw new Error('there is nothing behind the queue to be had');
  }
}

/** The only response of the handler is the settlement, whatever Nest wraps around it. */
const handlerOf =
  (handler: MessageHandler): JobHandler =>
  async (job) => {
    const answer: unknown = await handler(job, new JobContext(job));
    const settlement: unknown = isObservable(answer)
      ? await lastValueFrom(answer, { defaultValue: undefined })
      : answer;
    return settlement as Settlement | undefined;
  };

type Answer = Parameters<typeof lastValueFrom>[0];

const isObservable = (answer: unknown): answer is Answer =>
  typeof answer === 'object' && answer !== null && 'subscribe' in answer;
