import type { FanOutRecordBody } from '@carillon/contract';
import { streamName, type Stream, type StreamAddress } from '@carillon/history-store';
import { type Delivered, MAX_HELD, StreamOrder, type Head } from './stream-order.js';
import { refetchedOf, type StreamReads } from './stream-reads.js';

/** Something is missing for so long before it is fetched, and for so long before it is given up. */
const FETCH_AFTER_MS = 250;
const GIVE_UP_AFTER_MS = 2000;
/** So long nobody could say where a channel stands, which then counts as standing where its records are. */
const UNPLACED_MS = 3000;
const LOOK_MS = 50;
/** When the next look comes later than this, the process has not had the time meanwhile. */
const LATE_LOOK_MS = 100;
/** How often every channel is compared with the store, and how many in one query and in one round. */
const ROUND_MS = 5000;
const MOST_IN_QUERY = 2000;
const MOST_IN_ROUND = 20_000;
/** A second past of a stream is told of this often at most. */
const TELL_AGAIN_MS = 5000;

/** How far a stream was delivered. */
export interface Seen extends Head {
  readonly historyHead: number;
  /** The message before the next; null: it is not known. */
  readonly messageId: string | null;
  /** One that the store has another for; null: none that is known. */
  readonly contradicted: Delivered | null;
}

export interface StreamsParts {
  /** Null: nobody can be asked; records are delivered as they come, once each and never backwards. */
  readonly reads: StreamReads | null;
  readonly deliver: (record: FanOutRecordBody) => void;
  /** The store has lost what was delivered from it up to this position. */
  readonly regressed: (address: StreamAddress, seen: Seen) => void;
  readonly checked: (result: 'in_step' | 'behind' | 'failed') => void;
  readonly fetched: (result: 'fetched' | 'failed' | 'given_up') => void;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly nowMs?: () => number;
}

type StoredStream = Pick<Stream, 'generation' | 'streamId' | 'streamKey'>;

interface Followed {
  readonly address: StreamAddress;
  readonly order: StreamOrder;
  readonly sinceMs: number;
  /** The stream of the store by which what is missing is read next; null: the store is asked where it stands first. */
  stream: StoredStream | null;
  isFetching: boolean;
  /** When it was last told that a second past shows up. */
  toldAtMs: number;
  /** It stands where its first record is. */
  beginsHere: boolean;
}

/**
 * Follows the streams of the channels that somebody here is subscribed to: what comes of each is delivered in the
 * order of its serials, and what does not come is fetched.
 */
export class Streams {
  readonly #followed = new Map<string, Followed>();
  /** Channels of which something is missing, or not known. */
  readonly #unsettled = new Set<Followed>();
  /** Whose heads are asked for in this turn of the loop. */
  #wanted: Followed[] = [];
  #looking: NodeJS.Timeout | null = null;
  #lookedAtMs = 0;
  /** How long this process stood still while something was missing. Whoever was asked did not have that time. */
  #stoodStillMs = 0;
  #round: NodeJS.Timeout | null = null;
  #roundAt = 0;

  constructor(private readonly parts: StreamsParts) {}

  /** Somebody here has the channel, and its records come here. */
  follow(appId: string, channel: string): void {
    if (this.#followed.has(streamName({ appId, channel, kind: 'messages' }))) return;
    const one = this.#follow(appId, channel);
    if (this.parts.reads !== null) this.#ask(one);
  }

  #follow(appId: string, channel: string): Followed {
    const address: StreamAddress = { appId, channel, kind: 'messages' };
    const order = new StreamOrder(this.parts.deliver, (delivered) => this.#contradicted(one, delivered));
    const one: Followed = {
      address,
      order,
      sinceMs: this.#now(),
      stream: null,
      isFetching: false,
      toldAtMs: -Infinity,
      beginsHere: false,
    };
    this.#followed.set(streamName(address), one);
    if (this.parts.reads !== null) this.#round ??= setInterval(() => this.compare(), ROUND_MS).unref();
    return one;
  }

  /**
   * The same for a channel whose next record is the first that concerns anybody here: it goes on from there, without
   * asking where it stands.
   */
  followHere(appId: string, channel: string): void {
    const name = streamName({ appId, channel, kind: 'messages' });
    if (this.#followed.has(name)) return;
    this.#follow(appId, channel).beginsHere = true;
  }

  /** Nobody here has it any more. */
  leave(appId: string, channel: string): void {
    const name = streamName({ appId, channel, kind: 'messages' });
    const one = this.#followed.get(name);
    if (one === undefined) return;
    this.#followed.delete(name);
    this.#unsettled.delete(one);
  }

  /** A committed record has come; never throws. */
  take(record: FanOutRecordBody): void {
    const { app_id: appId, channel } = record;
    const one = this.#followed.get(streamName({ appId, channel, kind: 'messages' }));
    if (one === undefined) return;
    one.order.take(record, this.#now());
    if ((this.parts.reads === null || one.beginsHere) && one.order.needsHead) one.order.goOn(this.#now());
    one.beginsHere = false;
    this.#settle(one);
  }

  stop(): void {
    if (this.#round !== null) clearInterval(this.#round);
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#followed.clear();
    this.#unsettled.clear();
  }

  #settle(one: Followed): void {
    if (!one.order.needsHead && one.order.gap === null) {
      this.#unsettled.delete(one);
      return;
    }
    this.#unsettled.add(one);
    if (this.#looking !== null) return;
    this.#lookedAtMs = this.#now();
    this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** What has been missing for long enough is fetched, and what cannot be had is given up. */
  #look(): void {
    if (this.#unsettled.size === 0 && this.#looking !== null) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
    this.#stoodStillMs += Math.max(0, this.#now() - this.#lookedAtMs - LATE_LOOK_MS);
    const nowMs = this.#now();
    this.#lookedAtMs = nowMs;
    for (const one of this.#unsettled) {
      const { order } = one;
      const missingMs = nowMs - (order.gapSinceMs ?? nowMs);
      if (missingMs >= GIVE_UP_AFTER_MS) {
        if (order.skip(nowMs)) this.parts.fetched('given_up');
      } else if (!order.isPlaced && nowMs - one.sinceMs >= UNPLACED_MS) {
        order.goOn(nowMs);
      } else if (order.needsHead || missingMs >= FETCH_AFTER_MS) {
        void this.#fetch(one);
      }
      this.#settle(one);
    }
  }

  /** Asks where all channels stand; of very many, where some do. */
  compare(): void {
    const all = [...this.#followed.values()];
    const first = all.length > MOST_IN_ROUND ? this.#roundAt % all.length : 0;
    this.#roundAt = first + MOST_IN_ROUND;
    for (const one of all.slice(first, first + MOST_IN_ROUND)) this.#ask(one);
  }

  /** Whoever is asked for in one turn of the loop is asked for together. */
  #ask(one: Followed): void {
    if (this.#wanted.push(one) > 1) return;
    setImmediate(() => {
      const wanted = this.#wanted.splice(0);
      for (let at = 0; at < wanted.length; at += MOST_IN_QUERY) {
        void this.#heads(wanted.slice(at, at + MOST_IN_QUERY));
      }
    });
  }

  async #heads(asked: readonly Followed[]): Promise<void> {
    const { reads, checked, onTrouble } = this.parts;
    if (reads === null) return;
    const positions = asked.map(({ order }) => order.position);
    try {
      const heads = await reads.heads(asked.map(({ address }) => address));
      for (const [at, one] of asked.entries()) {
        const stream = heads.get(streamName(one.address)) ?? null;
        checked(this.#placed(one, stream, positions[at] ?? null) ? 'in_step' : 'behind');
      }
    } catch (error) {
      checked('failed');
      onTrouble('where channels stand', error);
      for (const one of asked) if (this.#isFollowed(one)) this.#settle(one);
    }
  }

  /** Whether nothing is missing. */
  #placed(one: Followed, stream: Stream | null, askedAt: Head | null): boolean {
    if (!this.#isFollowed(one)) return true;
    const { order, address } = one;
    const head = stream === null ? null : headOf(stream);
    one.stream = stream === null ? null : storedOf(stream);
    if (order.head(head, askedAt, this.#now()) && askedAt !== null)
      this.parts.regressed(address, {
        ...askedAt,
        historyHead: order.historyHead,
        messageId: null,
        contradicted: null,
      });
    this.#settle(one);
    return order.gap === null;
  }

  /** Once in a while: what comes of a second past mostly comes at once. */
  #contradicted(one: Followed, contradicted: Delivered): void {
    const { address, order } = one;
    const { position, historyHead, lastMessageId: messageId } = order;
    if (position === null || this.#now() - one.toldAtMs < TELL_AGAIN_MS) return;
    one.toldAtMs = this.#now();
    this.parts.regressed(address, { ...position, historyHead, messageId, contradicted });
  }

  async #fetch(one: Followed): Promise<void> {
    const { reads, fetched, onTrouble } = this.parts;
    if (one.isFetching || reads === null) return;
    one.isFetching = true;
    try {
      // Asking where a channel stands, and then for what is missing, takes twice as long as there may be time for.
      if (!canRead(one)) {
        const askedAt = one.order.position;
        const stream = (await reads.heads([one.address])).get(streamName(one.address)) ?? null;
        this.#placed(one, stream, askedAt);
      }
      if (canRead(one)) await this.#read(one, reads);
      fetched('fetched');
    } catch (error) {
      fetched('failed');
      onTrouble('records that did not come', error);
    }
    one.isFetching = false;
    if (this.#isFollowed(one)) this.#settle(one);
  }

  async #read(one: Followed, reads: StreamReads): Promise<void> {
    const { order, stream, address } = one;
    const { gap } = order;
    if (gap === null || stream === null) return;
    const { streamKey, generation, streamId } = stream;
    const records = await reads.range({ streamKey, generation, ...gap, limit: MAX_HELD });
    order.refetched(
      streamId,
      records.map((record) => refetchedOf({ streamId, address }, record)),
      this.#now(),
    );
    // If that was not all, the stream may be another by now.
    if (order.gap !== null) one.stream = null;
  }

  #isFollowed(one: Followed): boolean {
    return this.#followed.get(streamName(one.address)) === one;
  }

  #now(): number {
    return (this.parts.nowMs?.() ?? performance.now()) - this.#stoodStillMs;
  }
}

const storedOf = ({ streamId, streamKey, generation }: Stream): StoredStream => ({
  streamId,
  streamKey,
  generation,
});

/** Whether it is known which stream of the store what is missing is of. */
const canRead = ({ order, stream }: Followed): boolean =>
  !order.needsHead && stream !== null && stream.streamId === order.position?.streamId;

const headOf = ({ streamId, nextDeliverySerial: next, fannedOutSerial: handedOver }: Stream): Head => ({
  streamId,
  next,
  handedOver,
});
