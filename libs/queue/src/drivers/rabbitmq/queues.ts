import { rabbitQueueNames, waitWithQueue, type RabbitQueueNames } from './names.js';
import type { RabbitSession } from './session.js';

/** Lifetime of an unused delay queue. */
const UNUSED_MS = 60_000;
/** Time for which its existence is not checked again. */
const FRESH_MS = UNUSED_MS / 2;

/** Sees to it that queues exist, once for each session as long as nothing fails. */
export class RabbitQueues {
  readonly #known = new WeakMap<RabbitSession, Map<string, Promise<RabbitQueueNames>>>();
  readonly #waiting = new WeakMap<RabbitSession, Map<string, number>>();

  constructor(
    private readonly prefix: string,
    private readonly failedRetention: number,
  ) {}

  /** Returns the names of a queue after ensuring that it exists. */
  of(session: RabbitSession, queue: string): Promise<RabbitQueueNames> {
    const known = this.#known.get(session) ?? new Map<string, Promise<RabbitQueueNames>>();
    this.#known.set(session, known);
    const there = known.get(queue);
    if (there !== undefined) return there;
    const made = this.#make(session, rabbitQueueNames(this.prefix, queue));
    known.set(queue, made);
    made.catch(() => known.delete(queue));
    return made;
  }

  forget(session: RabbitSession, queue: string): void {
    this.#known.get(session)?.delete(queue);
  }

  /** Returns a queue from which jobs are dead-lettered back after about `delayMs`, not earlier. */
  async waiting(session: RabbitSession, names: RabbitQueueNames, delayMs: number): Promise<string> {
    const waitMs = waitWithQueue(delayMs);
    const name = names.waiting(waitMs);
    const made = this.#waiting.get(session) ?? new Map<string, number>();
    this.#waiting.set(session, made);
    if ((made.get(name) ?? -Infinity) + FRESH_MS > performance.now()) return name;
    const options = {
      durable: true,
      messageTtl: waitMs,
      deadLetterExchange: '',
      deadLetterRoutingKey: names.queue,
      expires: 2 * waitMs + UNUSED_MS,
    };
    await session.alone((channel) => channel.assertQueue(name, options));
    made.set(name, performance.now());
    return name;
  }

  async #make(session: RabbitSession, names: RabbitQueueNames): Promise<RabbitQueueNames> {
    await session.make(names.queue, { durable: true });
    await session.make(names.dead, { durable: true, maxLength: Math.max(1, this.failedRetention) });
    return names;
  }
}
