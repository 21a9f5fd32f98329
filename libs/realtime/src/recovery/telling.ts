import { rawMember, type Fact, type Message } from '@carillon/protocol';
import { type LoopShare, pause } from '@carillon/runtime';
import type { Codec, Frames } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Subscriber } from '../subscriber/subscriber.js';

const LOOK_MS = 10;
/** A client that has not read the requested messages in this time is sent the rest immediately, within its bounds. */
const PATIENCE_MS = 10_000;

/** Limits how long a slow client may delay its own replay. */
export class Patience {
  #leftMs = PATIENCE_MS;

  constructor(private readonly subscriber: Subscriber) {}

  /** Resolves when the client has read everything, is closed, or the time is over. */
  async isReading(): Promise<void> {
    const { subscriber } = this;
    while (subscriber.lane !== null && subscriber.isOpen && this.#leftMs > 0) {
      await pause(LOOK_MS);
      this.#leftMs -= LOOK_MS;
    }
  }
}

/** Resolves when the client's queue is empty, or the connection was closed. */
export async function whenDrained(subscriber: Pick<Subscriber, 'isOpen' | 'lane'>): Promise<void> {
  while (subscriber.lane !== null && subscriber.isOpen) await pause(LOOK_MS);
}

export interface TellingParts {
  readonly outlet: Outlet;
  /** Event loop share of the process's replays. */
  readonly share: LoopShare;
}

/**
 * Sends one subscriber many historical messages, no faster than it reads and in portions of the loop budget. Returns
 * the number of frames sent; its codec may omit some.
 */
export async function tellPast(
  { outlet, share }: TellingParts,
  subscriber: Subscriber,
  codec: Codec,
  past: Iterable<Frames>,
): Promise<number> {
  const said = codec.held ?? codec;
  const { appId } = subscriber.hub;
  const patience = new Patience(subscriber);
  const tell = (frames: Frames): boolean => {
    const frame = frames.of(said);
    if (frame !== null) outlet.sendFrame(subscriber, frame);
    return frame !== null;
  };
  let told = 0;
  for (const frames of past) {
    if (subscriber.lane !== null) await patience.isReading();
    const turn = share.turn(appId);
    if (turn !== undefined) await turn;
    if (!subscriber.isOpen) return told;
    if (share.measure(() => tell(frames))) told += 1;
  }
  return told;
}

/**
 * Returns a predicate: whether a fact duplicates one of these messages, or is a change that their version of the
 * message includes.
 */
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

/** Returns the permanent id of a mutable message, shared by all its versions; null for others. */
function lastingOf({ action, extrasText }: Message): string | null {
  if (action === 'plain' || extrasText === null) return null;
  const headers = rawMember(extrasText, 'headers');
  return headers === null ? null : rawMember(headers, 'service_message_serial');
}
