import { EVENT } from '../clients/publisher.js';
import type { Node } from '../nodes/node.js';
import type { Random } from '../random.js';
import { call } from '../tenant.js';
import { now, sleep } from '../wait.js';
import { historyHolds } from './read-history.js';
import type { Attempt, DurablePublication } from './records.js';

/** How long an event with a key is tried before it counts as never accepted. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 100;
/** So many of the events have a key, and are sent until they are accepted. */
const KEYED = 0.7;
/** So many of those that were accepted are looked for at once. */
const LOOKED_FOR = 0.02;

/**
 * A backend that publishes to durable channels. An event with a key is sent again, to the other api node, until it is
 * accepted; one without is sent once, since a second sending would be a second event.
 */
export class DurablePublisher {
  readonly publications: DurablePublication[] = [];
  /** Accepted events that a read begun afterwards did not show. */
  readonly unseen: string[] = [];
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

  begin(channels: readonly string[], pauseMs: number): void {
    this.pauseMs = pauseMs;
    this.#loop = this.#run(channels);
  }

  /** Resolves when the last event is accepted or given up. */
  async stop(): Promise<void> {
    this.#isDone = true;
    await this.#loop;
  }

  /** One event; settles when it is accepted or given up. */
  async publish(channel: string, isKeyed: boolean): Promise<DurablePublication> {
    const number = (this.#counts.get(channel) ?? 0) + 1;
    this.#counts.set(channel, number);
    const publication: DurablePublication = {
      publisher: this.name,
      channel,
      number,
      messageId: isKeyed ? `${this.name}-${number}` : null,
      beganAtMs: now(),
      acceptedAtMs: null,
      failedAttempts: 0,
      attempts: [],
      historySerial: null,
    };
    this.publications.push(publication);
    const giveUpAtMs = publication.beganAtMs + (isKeyed ? GIVE_UP_MS : 0);
    do {
      await this.#attempt(publication);
      if (publication.acceptedAtMs !== null) return publication;
      this.#api = (this.#api + 1) % this.apis.length;
      await sleep(RETRY_MS);
    } while (now() < giveUpAtMs);
    return publication;
  }

  async #run(channels: readonly string[]): Promise<void> {
    while (!this.#isDone) {
      const channel = this.random.pick(channels);
      const publication = await this.publish(channel, this.random.chance(KEYED));
      if (publication.acceptedAtMs !== null && this.random.chance(LOOKED_FOR))
        await this.#lookFor(publication);
      await sleep(this.random.between(this.pauseMs / 2, this.pauseMs * 2));
      // Both nodes get their share when nothing fails, too.
      this.#api = this.random.between(0, this.apis.length - 1);
    }
  }

  async #attempt(publication: DurablePublication): Promise<void> {
    const { channel, number, messageId } = publication;
    const api = this.apis[this.#api];
    if (api === undefined || !api.isRunning) return;
    const body = JSON.stringify({
      name: EVENT,
      channel,
      data: JSON.stringify({ publisher: this.name, number }),
      ...(messageId === null ? {} : { message_id: messageId }),
    });
    const sentAtMs = now();
    const answer = await call(api.port, 'POST', '/events', { body }).catch(() => null);
    const attempt: Attempt = {
      api: api.name,
      tookMs: now() - sentAtMs,
      status: answer?.status ?? null,
      code: answer === null || answer.status === 200 ? null : codeOf(answer.body),
      saysWhen: answer?.headers['retry-after'] !== undefined,
    };
    publication.attempts.push(attempt);
    if (answer?.status !== 200) {
      publication.failedAttempts += 1;
      return;
    }
    publication.acceptedAtMs = now();
    publication.historySerial = serialOf(answer.body, channel);
  }

  /** At the other node. Only an answer counts: reads may be refused as well. */
  async #lookFor(publication: DurablePublication): Promise<void> {
    const other = this.apis[(this.#api + 1) % this.apis.length];
    if (other?.isRunning !== true) return;
    const held = await historyHolds(other.port, publication).catch(() => null);
    if (held === false)
      this.unseen.push(
        `${this.name} ${publication.number} on ${publication.channel} was accepted and not read`,
      );
  }
}

function codeOf(body: string): string {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code);
  } catch {
    return body.slice(0, 80);
  }
}

function serialOf(body: string, channel: string): number | null {
  const { channels } = JSON.parse(body) as { channels?: Record<string, { history_serial?: number }> };
  return channels?.[channel]?.history_serial ?? null;
}
