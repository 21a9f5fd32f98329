import type { Wanted } from '../model/changes.js';
import { type StreamAddress, streamName } from '../model/stream.js';
import type { FoundRows } from './found-rows.js';
import type { Head, Side } from './head.js';
import { receiptSort } from './keys.js';

/** Streams that are remembered at most: about 1 KiB each. */
const MAX_STREAMS = 10_000;

/** Heads as this process wrote them last, from which a batch may be decided without a read. */
export class RememberedHeads {
  readonly #heads = new Map<string, Pick<FoundRows, 'owner' | 'side'> & { readonly head: Head }>();

  /** Returns the state that a batch would find if the stream is unchanged; null if it must be read. */
  find(wanted: Wanted, address: StreamAddress): FoundRows | null {
    const found = this.#heads.get(streamName(address));
    if (found === undefined || !needsReceiptsOnly(wanted)) return null;
    const unread = wanted.receipts.scopes.map(receiptSort);
    return { ...found, rows: new Map(), asked: new Set(unread), unread };
  }

  remember(address: StreamAddress, head: Head, side: Side): void {
    const { streamKey, generation } = head.stream;
    const name = streamName(address);
    this.#heads.delete(name);
    this.#heads.set(name, { owner: { streamKey, generation }, head, side });
    const [oldest] = this.#heads.keys();
    if (this.#heads.size > MAX_STREAMS && oldest !== undefined) this.#heads.delete(oldest);
  }

  forget(address: StreamAddress): void {
    this.#heads.delete(streamName(address));
  }
}

/** Whether the commit itself can check everything that the batch has to know: its head, and that there is no receipt. */
const needsReceiptsOnly = ({ members, crowds, below, inspect, messageIdAt, messages }: Wanted): boolean =>
  members.length + crowds.length === 0 &&
  below === null &&
  !inspect &&
  messageIdAt === undefined &&
  (messages === undefined ||
    messages.states.length +
      messages.operations.length +
      messages.annotations.length +
      messages.summaries.length ===
      0);
