import type { FanOutRecordBody } from '@carillon/contracts';
import { streamName, type StreamAddress } from '@carillon/history-store';
import { pause } from '@carillon/runtime';
import { canRead, type Followable, type Followed, isBehind, type Standing, standingOf } from './followed.js';
import { HeadQuestions } from './head-questions.js';
import type { Origin, OriginHead } from './origin.js';
import { type Delivered, type Head, StreamOrder } from './stream-order.js';
import { Unsettled } from './unsettled.js';

/** Delays after which missing records are fetched, and given up. */
const FETCH_AFTER_MS = 250;
const GIVE_UP_AFTER_MS = 2000;
/** After this time without a readable head, the position is set by the received records. */
const UNPLACED_MS = 3000;
/** Interval at which channels with missing records are checked. */
const LOOK_MS = 50;
/** Interval at which channels are compared with the store, and the number of channels per round. */
const ROUND_MS = 5000;
const MAX_IN_ROUND = 20_000;
/** Minimum interval of reports of a contradicting stream. */
const TELL_AGAIN_MS = 5000;

/** The delivered position of a stream. */
export interface Seen extends Head {
  readonly historyHead: number;
  /** Id of the message before `next`; null: unknown. */
  readonly messageId: string | null;
  /** A delivered message that contradicts the store; null: none known. */
  readonly contradicted: Delivered | null;
}

export interface StreamsParts<Record extends Followable> {
  /**
   * Null if no store can be read: records are delivered in order of arrival, once each, with serials that never
   * decrease.
   */
  readonly origin: Origin<Record> | null;
  readonly deliver: (record: Record) => void;
  /** Called when the store has lost records that were delivered up to this position. */
  readonly regressed: (address: StreamAddress, seen: Seen) => void;
  readonly checked: (result: 'in_step' | 'behind' | 'failed') => void;
  readonly fetched: (result: 'fetched' | 'failed' | 'given_up') => void;
  /** Called when missing records of a stream are given up, before later ones are delivered. Absent: not reported. */
  readonly givenUp?: (address: StreamAddress, at: Head) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly nowMs?: () => number;
}

/**
 * Follows the streams of subscribed channels: delivers the records of each in serial order, and fetches missing ones.
 */
export class Streams<Record extends Followable = FanOutRecordBody> {
  readonly #followed = new Map<string, Followed<Record>>();
  readonly #unsettled: Unsettled<Record>;
  readonly #questions = new HeadQuestions<Record>((asked, make) => this.#heads(asked, make));
  #round: NodeJS.Timeout | null = null;
  #roundAt = 0;

  constructor(private readonly parts: StreamsParts<Record>) {
    this.#unsettled = new Unsettled((one, nowMs) => this.#look(one, nowMs), parts.nowMs);
  }

  /** Begins to follow a channel whose records are delivered to this process. */
  follow(appId: string, channel: string): void {
    if (this.#followed.has(streamName({ appId, channel, kind: 'messages' }))) return;
    const one = this.#follow(appId, channel);
    const { origin } = this.parts;
    if (origin === null) return;
    const head = origin.headNow?.(one.address);
    if (head === undefined) void this.#questions.ask(one).catch(() => undefined);
    else this.#placed(one, head, null);
  }

  #follow(appId: string, channel: string): Followed<Record> {
    const address: StreamAddress = { appId, channel, kind: 'messages' };
    const order = new StreamOrder<Record>(
      this.parts.deliver,
      (delivered) => this.#contradicted(one, delivered),
      (at) => this.#givenUp(address, at),
    );
    const one: Followed<Record> = {
      address,
      order,
      sinceMs: this.#unsettled.nowMs,
      head: null,
      isFetching: false,
      asking: null,
      toldAtMs: -Infinity,
      beginsHere: false,
    };
    this.#followed.set(streamName(address), one);
    if (this.parts.origin !== null) this.#round ??= setInterval(() => this.compare(), ROUND_MS).unref();
    return one;
  }

  /** Begins to follow a channel at its next record, without reading its head. */
  followHere(appId: string, channel: string): void {
    if (this.#followed.has(streamName({ appId, channel, kind: 'messages' }))) return;
    this.#follow(appId, channel).beginsHere = true;
  }

  /** The last subscriber of the channel left. */
  leave(appId: string, channel: string): void {
    const name = streamName({ appId, channel, kind: 'messages' });
    const one = this.#followed.get(name);
    if (one === undefined) return;
    this.#followed.delete(name);
    this.#unsettled.forget(one);
  }

  /** Accepts a committed record; never throws. */
  take(record: Record): void {
    const { app_id: appId, channel } = record;
    const one = this.#followed.get(streamName({ appId, channel, kind: 'messages' }));
    if (one === undefined) return;
    one.order.take(record, this.#unsettled.nowMs);
    if ((this.parts.origin === null || one.beginsHere) && one.order.needsHead)
      one.order.goOn(this.#unsettled.nowMs);
    one.beginsHere = false;
    this.#unsettled.settle(one);
  }

  /** Returns the current position without a request; null if it is unknown or records are missing. */
  known(appId: string, channel: string): Standing | null {
    const one = this.#followed.get(streamName({ appId, channel, kind: 'messages' }));
    return one === undefined ? null : standingOf(one);
  }

  /**
   * Returns the position of a followed channel once no known records are missing. `isKnown` decides whether the local
   * position suffices; otherwise the head is read and missing records are fetched first. With `make` a missing stream
   * is created. Null if it has no stream, or no store can be read. Rejects if the position cannot be determined.
   */
  async standing(
    appId: string,
    channel: string,
    { isKnown, make }: { readonly isKnown: (standing: Standing) => boolean; readonly make: boolean },
  ): Promise<Standing | null> {
    const one = this.#followed.get(streamName({ appId, channel, kind: 'messages' }));
    if (one === undefined || this.parts.origin === null) return null;
    const isEnough = (): boolean => {
      const known = standingOf(one);
      const hasNone = one.order.isPlaced && one.order.position === null && !one.order.needsHead;
      return known === null ? hasNone && !make : isKnown(known);
    };
    const untilMs = this.#unsettled.nowMs + UNPLACED_MS;
    // The first response may belong to a request made before this one.
    for (let asked = 0; asked < 2 && !isEnough(); asked += 1) await this.#questions.ask(one, make);
    while (isBehind(one) && this.#isFollowed(one) && this.#unsettled.nowMs < untilMs) {
      await this.#fetch(one);
      if (isBehind(one)) await pause(LOOK_MS);
    }
    if (isBehind(one)) throw new Error('what is missing of the channel does not come');
    return standingOf(one);
  }

  stop(): void {
    if (this.#round !== null) clearInterval(this.#round);
    this.#followed.clear();
    this.#unsettled.stop();
  }

  /** Fetches records that have been missing for long enough, and gives up those that cannot be fetched. */
  #look(one: Followed<Record>, nowMs: number): void {
    const { order } = one;
    const missingMs = nowMs - (order.gapSinceMs ?? nowMs);
    if (missingMs >= GIVE_UP_AFTER_MS) order.skip(nowMs);
    else if (!order.isPlaced && nowMs - one.sinceMs >= UNPLACED_MS) order.goOn(nowMs);
    else if (order.needsHead || missingMs >= FETCH_AFTER_MS) void this.#fetch(one);
  }

  #givenUp(address: StreamAddress, at: Head | null): void {
    this.parts.fetched('given_up');
    if (at !== null) this.parts.givenUp?.(address, at);
  }

  /** Compares channels with the store: all of them, or up to the limit of a round. */
  compare(): void {
    const all = [...this.#followed.values()];
    const first = all.length > MAX_IN_ROUND ? this.#roundAt % all.length : 0;
    this.#roundAt = first + MAX_IN_ROUND;
    for (const one of all.slice(first, first + MAX_IN_ROUND))
      void this.#questions.ask(one).catch(() => undefined);
  }

  async #heads(asked: readonly Followed<Record>[], make: boolean): Promise<void> {
    const { origin, checked, onTrouble } = this.parts;
    if (origin === null) return;
    const positions = asked.map(({ order }) => order.position);
    const addresses = asked.map(({ address }) => address);
    try {
      const heads = await origin.heads(addresses, make);
      for (const [at, one] of asked.entries())
        checked(this.#placed(one, heads[at] ?? null, positions[at] ?? null) ? 'in_step' : 'behind');
    } catch (error) {
      checked('failed');
      onTrouble('where channels stand', error);
      for (const one of asked) if (this.#isFollowed(one)) this.#unsettled.settle(one);
      throw error;
    }
  }

  /** Applies a head; returns whether nothing is missing. */
  #placed(one: Followed<Record>, head: OriginHead<Record> | null, askedAt: Head | null): boolean {
    if (!this.#isFollowed(one)) return true;
    const { order, address } = one;
    one.head = head;
    if (order.head(head, askedAt, this.#unsettled.nowMs) && askedAt !== null)
      this.parts.regressed(address, {
        ...askedAt,
        historyHead: order.historyHead,
        messageId: null,
        contradicted: null,
      });
    this.#unsettled.settle(one);
    return order.gap === null;
  }

  /** Reports are rate-limited: records of a contradicting stream mostly arrive in bursts. */
  #contradicted(one: Followed<Record>, contradicted: Delivered): void {
    const { address, order } = one;
    const { position, historyHead, lastMessageId: messageId } = order;
    if (position === null || this.#unsettled.nowMs - one.toldAtMs < TELL_AGAIN_MS) return;
    one.toldAtMs = this.#unsettled.nowMs;
    this.parts.regressed(address, { ...position, historyHead, messageId, contradicted });
  }

  async #fetch(one: Followed<Record>): Promise<void> {
    const { origin, fetched, onTrouble } = this.parts;
    if (one.isFetching || origin === null) return;
    one.isFetching = true;
    try {
      // Reading the head and then the missing records takes twice as long, which may exceed the time left.
      if (!canRead(one)) {
        const askedAt = one.order.position;
        const [head = null] = await origin.heads([one.address], false);
        this.#placed(one, head, askedAt);
      }
      if (canRead(one)) await this.#read(one);
      fetched('fetched');
    } catch (error) {
      fetched('failed');
      onTrouble('records that did not come', error);
    }
    one.isFetching = false;
    if (this.#isFollowed(one)) this.#unsettled.settle(one);
  }

  async #read(one: Followed<Record>): Promise<void> {
    const { order, head } = one;
    const { gap } = order;
    if (gap === null || head === null) return;
    order.refetched(head.streamId, await head.read(gap), this.#unsettled.nowMs);
    // If records are still missing, the stream may have changed meanwhile.
    if (order.gap !== null) one.head = null;
  }

  #isFollowed(one: Followed<Record>): boolean {
    return this.#followed.get(streamName(one.address)) === one;
  }
}
