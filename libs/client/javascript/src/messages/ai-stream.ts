import { CarillonError, errorOf } from '../error.js';
import { randomId } from '../id.js';
import type { Messages } from './messages.js';

/** Publish options of an answer. */
export interface StreamOptions {
  /** Default `ai-output`. */
  readonly event?: string;
  /** Entries of `extras.ai`: `run-id`, `model` and the like. */
  readonly transport?: Readonly<Record<string, string>>;
  readonly codec?: Readonly<Record<string, string>>;
  /** The message id; absent: a new one is generated. */
  readonly id?: string;
}

/** A token waits in memory while the one before is on its way; more than this is too much. */
const MAX_WAITING_CHARACTERS = 1024 * 1024;
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 100;

/** Worth another try: the service was not reached, has no time, or is starting. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof CarillonError) || error.status === null || error.status === 429 || error.status >= 500;

async function persistently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isPassing(error)) throw error;
      await new Promise((later) => setTimeout(later, FIRST_PAUSE_MS * 2 ** attempt * Math.random()));
    }
  }
}

/**
 * An answer that grows: one message, to which tokens are appended in order. Tokens that come while a request is on its way
 * go together with the next one. A request that failed in passing is repeated without being applied twice.
 */
export class AiStream {
  #waiting = '';
  #serial: string | null = null;
  #error: Error | null = null;
  #hasEnded = false;
  #work: Promise<void> = Promise.resolve();
  #isScheduled = false;

  constructor(
    private readonly channel: string,
    private readonly messages: Messages,
    private readonly options: StreamOptions,
  ) {
    this.#run(() => this.#open());
  }

  /** The message's; null: it is not published yet. */
  get serial(): string | null {
    return this.#serial;
  }

  /** Never waits. Throws when the stream has ended or failed, or too much is waiting. */
  append(token: string): void {
    if (this.#error !== null) throw this.#error;
    if (this.#hasEnded) throw new CarillonError('The stream has ended', { channel: this.channel });
    if (this.#waiting.length + token.length > MAX_WAITING_CHARACTERS) {
      throw new CarillonError('Too many tokens are waiting', { channel: this.channel });
    }
    this.#waiting += token;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#run(() => this.#flush());
  }

  /** Resolves when everything so far is applied; rejects where something was refused. */
  async flushed(): Promise<void> {
    await this.#work;
    if (this.#error !== null) throw this.#error;
  }

  /** The answer is whole. */
  complete(): Promise<void> {
    return this.#end('complete');
  }

  /** It will not be finished. */
  cancel(): Promise<void> {
    return this.#end('cancelled');
  }

  #end(status: 'complete' | 'cancelled'): Promise<void> {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#run(() => this.#append(this.#take(), status));
    }
    return this.flushed();
  }

  /** One after the other; after a failure nothing more is tried. */
  #run(work: () => Promise<void>): void {
    this.#work = this.#after(this.#work, work);
  }

  async #after(before: Promise<void>, work: () => Promise<void>): Promise<void> {
    await before;
    if (this.#error !== null) return;
    try {
      await work();
    } catch (error) {
      this.#error = errorOf(error);
    }
  }

  async #open(): Promise<void> {
    const { event = 'ai-output', id = randomId() } = this.options;
    const extras = { ai: this.#ai('streaming') };
    const { messageSerial: serial } = await persistently(() =>
      this.messages.publish(event, '', { id, extras }),
    );
    if (serial === undefined) {
      throw new CarillonError('Messages of the channel cannot be changed', { channel: this.channel });
    }
    this.#serial = serial;
  }

  async #flush(): Promise<void> {
    this.#isScheduled = false;
    const text = this.#take();
    if (text !== '') await this.#append(text, 'streaming');
  }

  #take(): string {
    const text = this.#waiting;
    this.#waiting = '';
    return text;
  }

  async #append(text: string, status: string): Promise<void> {
    const operationId = randomId();
    await persistently(() =>
      this.messages.append(this.#serial ?? '', text, { operationId, extras: { ai: this.#ai(status) } }),
    );
  }

  #ai(status: string) {
    const { transport, codec } = this.options;
    return { transport: { ...transport, status }, ...(codec === undefined ? {} : { codec }) };
  }
}
