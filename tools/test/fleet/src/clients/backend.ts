import type { RawAnswer } from '@carillon/testing';
import type { Publication } from '../model/records.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { call } from '../tenant.js';
import { now, sleep } from '../wait.js';

export const EVENT = 'fleet-tick';

/** How an event is tried. */
export interface Patience {
  /** How long before it counts as never accepted; it is tried once at least. */
  readonly giveUpMs: number;
  readonly retryMs: number;
}

/** What came of one try. */
export interface Outcome {
  readonly api: string;
  readonly tookMs: number;
  /** Null: the connection ended, or nothing came. */
  readonly answer: RawAnswer | null;
}

/** A backend that publishes one event after another, each until it is accepted or given up, through whichever api node answers. */
export abstract class Backend<Told extends Publication> {
  readonly publications: Told[] = [];
  /** Between two events, more or less. */
  pauseMs = 0;
  readonly #counts = new Map<string, number>();
  #api: number;
  #isDone = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly apis: readonly Node[],
    protected readonly random: Random,
  ) {
    this.#api = this.#anyApi();
  }

  /** Publishes to these channels in turn, until `stop`. */
  begin(channels: readonly string[], pauseMs: number): void {
    this.pauseMs = pauseMs;
    this.#loop = this.#run(channels);
  }

  /** Resolves when the last event is accepted or given up. */
  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#loop;
  }

  /** One event among many. */
  protected abstract next(channel: string): Promise<unknown>;

  /** Called after each try that reached for a node. Throws at an answer that no fault excuses. */
  protected abstract tried(told: Told, outcome: Outcome): void;

  /** The publisher's next event on the channel, to be told. */
  protected newOn(channel: string): Publication {
    const number = (this.#counts.get(channel) ?? 0) + 1;
    this.#counts.set(channel, number);
    return { publisher: this.name, channel, number, beganAtMs: now(), acceptedAtMs: null };
  }

  /** Settles when it is accepted or given up. `key` is what makes the event the same when it is sent again. */
  protected async tell(told: Told, key: object, { giveUpMs, retryMs }: Patience): Promise<Told> {
    this.publications.push(told);
    const { channel, number } = told;
    const data = JSON.stringify({ publisher: this.name, number });
    const body = JSON.stringify({ name: EVENT, channel, data, ...key });
    do {
      await this.#try(told, body);
      if (told.acceptedAtMs !== null) return told;
      this.#api = (this.#api + 1) % this.apis.length;
      await sleep(retryMs);
    } while (now() < told.beganAtMs + giveUpMs);
    return told;
  }

  /** Another than the next event goes to. */
  protected get otherApi(): Node | undefined {
    return this.apis[(this.#api + 1) % this.apis.length];
  }

  /** The next event goes to any. */
  protected moveOn(): void {
    this.#api = this.#anyApi();
  }

  #anyApi(): number {
    return this.random.between(0, this.apis.length - 1);
  }

  async #run(channels: readonly string[]): Promise<void> {
    while (!this.#isDone) {
      await this.next(this.random.pick(channels));
      await sleep(this.random.between(this.pauseMs / 2, this.pauseMs * 2));
    }
  }

  async #try(told: Told, body: string): Promise<void> {
    const api = this.apis[this.#api];
    if (api === undefined || !api.isRunning) return;
    const sentAtMs = now();
    const answer = await call(api.port, 'POST', '/events', { body }).catch(() => null);
    if (answer?.status === 200) told.acceptedAtMs = now();
    this.tried(told, { api: api.name, tookMs: now() - sentAtMs, answer });
  }
}
