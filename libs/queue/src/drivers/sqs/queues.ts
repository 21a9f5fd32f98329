import { escapedName } from '../../broker/names.js';
import type { SqsCalls } from './calls.js';

/** SQS URLs of a queue. */
export interface SqsPlace {
  readonly url: string;
  readonly deadUrl: string;
}

export interface SqsQueuesOptions {
  readonly calls: SqsCalls;
  readonly urlPrefix: string | null;
  readonly isFifo: boolean;
  readonly visibilitySeconds: number;
}

/** The longest SQS keeps a message. */
const KEPT_SECONDS = '1209600';
/** With `-dlq.fifo` behind it a name has at most 80 characters, a prefix included. */
const LONGEST_NAME = 50;

/** `push.publish.v1` becomes `push-publish-v1`; invalid characters are escaped. */
export const sqsName = (queue: string): string =>
  escapedName(queue, /[A-Za-z0-9.]/, '_', LONGEST_NAME).replaceAll('.', '-');

/** Sees to it that queues exist, once as long as nothing fails. */
export class SqsQueues {
  readonly #known = new Map<string, Promise<SqsPlace>>();

  constructor(private readonly options: SqsQueuesOptions) {}

  /** Returns the URLs of a queue and its dead-letter queue. */
  of(queue: string): Promise<SqsPlace> {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    const made = this.#make(queue);
    this.#known.set(queue, made);
    made.catch(() => this.forget(queue));
    return made;
  }

  forget(queue: string): void {
    this.#known.delete(queue);
  }

  async #make(queue: string): Promise<SqsPlace> {
    const name = sqsName(queue);
    const end = this.options.isFifo ? '.fifo' : '';
    const [url, deadUrl] = await Promise.all([this.#one(name + end), this.#one(`${name}-dlq${end}`)]);
    return { url, deadUrl };
  }

  /** One that exists stays as its operator made it. */
  async #one(name: string): Promise<string> {
    const { calls, urlPrefix, isFifo, visibilitySeconds } = this.options;
    const url = urlPrefix === null ? null : urlPrefix + name;
    const fullName = url === null ? name : url.slice(url.lastIndexOf('/') + 1);
    const found = await calls.find(fullName);
    if (found !== null) return url ?? found;
    const made = await calls.make(fullName, {
      VisibilityTimeout: String(visibilitySeconds),
      MessageRetentionPeriod: KEPT_SECONDS,
      ...(isFifo ? { FifoQueue: 'true' } : {}),
    });
    return url ?? made;
  }
}
