import { Backend, type Outcome, type Patience } from '../clients/backend.js';
import { historyHolds } from './read-history.js';
import type { DurablePublication } from './records.js';

const KEYED: Patience = { giveUpMs: 60_000, retryMs: 100 };
const ONCE: Patience = { ...KEYED, giveUpMs: 0 };
/** So many of the events have a key, and are sent until they are accepted. */
const HAVE_KEYS = 0.7;
/** So many of those that were accepted are looked for at once. */
const LOOKED_FOR = 0.02;

/**
 * A backend that publishes to durable channels. An event with a key is sent again, to the other api node, until it is
 * accepted; one without is sent once, since a second sending would be a second event.
 */
export class DurablePublisher extends Backend<DurablePublication> {
  /** Accepted events that a read begun afterwards did not show. */
  readonly unseen: string[] = [];

  /** One event; settles when it is accepted or given up. */
  publish(channel: string, isKeyed: boolean): Promise<DurablePublication> {
    const begun = this.newOn(channel);
    const messageId = isKeyed ? `${this.name}-${begun.number}` : null;
    const told = { ...begun, messageId, attempts: [], historySerial: null };
    return isKeyed ? this.tell(told, { message_id: messageId }, KEYED) : this.tell(told, {}, ONCE);
  }

  protected async next(channel: string): Promise<void> {
    // Both nodes get their share when nothing fails, too.
    this.moveOn();
    const publication = await this.publish(channel, this.random.chance(HAVE_KEYS));
    if (publication.acceptedAtMs !== null && this.random.chance(LOOKED_FOR)) await this.#lookFor(publication);
  }

  protected tried(told: DurablePublication, { api, tookMs, answer }: Outcome): void {
    const isAccepted = answer?.status === 200;
    told.attempts.push({
      api,
      tookMs,
      status: answer?.status ?? null,
      code: answer === null || isAccepted ? null : codeOf(answer.body),
      saysWhen: answer?.headers['retry-after'] !== undefined,
    });
    if (isAccepted) told.historySerial = serialOf(answer.body, told.channel);
  }

  /** At the other node. Only an answer counts: reads may be refused as well. */
  async #lookFor(publication: DurablePublication): Promise<void> {
    const other = this.otherApi;
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
