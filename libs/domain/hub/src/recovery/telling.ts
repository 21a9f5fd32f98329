import { rawMember, type Fact, type Message } from '@carillon/protocol';
import { pause } from '@carillon/runtime';
import type { Codec, Frames } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';

const LOOK_MS = 10;
/** A client that has not read what it asked for in this time gets the rest at once, as its bounds allow. */
const PATIENCE_MS = 10_000;

/** How long a client may keep what it is told from going on. */
export class Patience {
  #leftMs = PATIENCE_MS;

  constructor(private readonly subscriber: Subscriber) {}

  /** Resolves when it reads, is gone, or has been waited for long enough. */
  async isReading(): Promise<void> {
    const { subscriber } = this;
    while (subscriber.lane !== null && subscriber.isOpen && this.#leftMs > 0) {
      await pause(LOOK_MS);
      this.#leftMs -= LOOK_MS;
    }
  }
}

/**
 * Tells one subscriber many messages of the past, no faster than it reads. Returns how many it was told: its codec keeps
 * some from it.
 */
export async function tellPast(
  outlet: Outlet,
  subscriber: Subscriber,
  codec: Codec,
  past: Iterable<Frames>,
): Promise<number> {
  const said = codec.held ?? codec;
  const patience = new Patience(subscriber);
  let told = 0;
  for (const frames of past) {
    if (subscriber.lane !== null) await patience.isReading();
    if (!subscriber.isOpen) return told;
    const frame = frames.of(said);
    if (frame === null) continue;
    outlet.sendFrame(subscriber, frame);
    told += 1;
  }
  return told;
}

/** Whether something is one of these messages again, or a change that is in what was told of its message already. */
export function wasTold(messages: readonly Message[]): (fact: Fact) => boolean {
  const ids = new Set(messages.map(({ messageId }) => messageId));
  const versions = new Map<string, number>();
  for (const message of messages) {
    const lasting = lastingOf(message);
    if (lasting !== null) versions.set(lasting, message.serial ?? 0);
  }
  return (fact) => {
    if (fact.kind !== 'message') return false;
    if (ids.has(fact.messageId)) return true;
    const told = versions.size === 0 ? undefined : versions.get(lastingOf(fact) ?? '');
    return told !== undefined && (fact.serial ?? 0) <= told;
  };
}

/** What a message that lives on is called, through all of its changes; null: it does not. */
function lastingOf({ action, extrasText }: Message): string | null {
  if (action === 'plain' || extrasText === null) return null;
  const headers = rawMember(extrasText, 'headers');
  return headers === null ? null : rawMember(headers, 'service_message_serial');
}
