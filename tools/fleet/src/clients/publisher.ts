import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import type { Publication } from '../model/records.js';
import { call } from '../tenant.js';
import { now, sleep } from '../wait.js';

export const EVENT = 'fleet-tick';

/** How long one event is tried before it counts as never accepted. */
const GIVE_UP_MS = 30_000;
const RETRY_MS = 200;

/** A backend that publishes one event after another, each until it is accepted, through the api node that answers. */
export class Publisher {
  readonly publications: Publication[] = [];
  /** Between two events, more or less. */
  pauseMs = 0;
  readonly #counts = new Map<string, number>();
  #api: number;
  #isDone = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly apis: readonly Node[],
    private readonly random: Random,
  ) {
    this.#api = random.between(0, apis.length - 1);
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

  async #run(channels: readonly string[]): Promise<void> {
    while (!this.#isDone) {
      await this.publish(this.random.pick(channels));
      await sleep(this.random.between(this.pauseMs / 2, this.pauseMs * 2));
    }
  }

  /** One event; settles when it is accepted or given up. */
  async publish(channel: string): Promise<Publication> {
    const number = (this.#counts.get(channel) ?? 0) + 1;
    this.#counts.set(channel, number);
    const publication: Publication = {
      publisher: this.name,
      channel,
      number,
      beganAtMs: now(),
      acceptedAtMs: null,
      failedAttempts: 0,
    };
    this.publications.push(publication);
    const body = JSON.stringify({
      name: EVENT,
      channel,
      data: JSON.stringify({ publisher: this.name, number }),
      idempotency_key: `${this.name}-${channel}-${number}`,
    });
    while (publication.acceptedAtMs === null && now() < publication.beganAtMs + GIVE_UP_MS) {
      if (await this.#attempt(body)) publication.acceptedAtMs = now();
      else {
        publication.failedAttempts += 1;
        this.#api = (this.#api + 1) % this.apis.length;
        await sleep(RETRY_MS);
      }
    }
    return publication;
  }

  async #attempt(body: string): Promise<boolean> {
    const api = this.apis[this.#api];
    if (api === undefined || !api.isRunning) return false;
    const answer = await call(api.port, 'POST', '/events', { body }).catch(() => null);
    if (answer !== null && answer.status >= 400 && answer.status < 500) {
      throw new Error(`a publish was refused: HTTP ${answer.status} ${answer.body}`);
    }
    return answer?.status === 200;
  }
}
