import {
  type Changes,
  type Found,
  MemoryHistoryStore,
  type Wanted,
  type Watermark,
} from '@carillon/history-store';
import type { Env } from '../../run/env.js';

/** A message as it was committed. */
export interface Committed {
  readonly serial: number;
  readonly messageId: string | null;
}

/** One stream of a channel: a reset begins another. */
export interface ShadowStream {
  readonly channel: string;
  readonly streamId: string;
  readonly generation: number;
  readonly records: Committed[];
  /** Serials that the broker has taken. */
  readonly handed: Set<number>;
  /** Records of lower serials were purged. */
  purgedBelow: number;
}

/** The store of the writers, with a shadow of all that was committed. */
export class ObservedStore extends MemoryHistoryStore {
  /** By stream id. */
  readonly shadows = new Map<string, ShadowStream>();
  readonly #byKey = new Map<string, ShadowStream>();
  /** Current generation by stream key. */
  readonly #generations = new Map<string, number>();
  /** Serials of each message, by `channel message_id`. */
  readonly serials = new Map<string, string[]>();

  constructor(
    private readonly env: Env,
    private readonly committed: (changes: Changes) => void,
  ) {
    super();
  }

  override async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    const decision = await super.commit(wanted, decide);
    this.#note(decision.changes);
    this.committed(decision.changes);
    return decision;
  }

  override async raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly nowMs: number },
  ): Promise<void> {
    for (const { streamKey, generation, serial } of marks) this.#mustBeHanded(streamKey, generation, serial);
    await super.raiseWatermarks(marks, seen);
  }

  #note({ streams, records, operatorLog }: Changes): void {
    const purged = operatorLog.filter(({ operation }) => operation === 'purge');
    for (const { address, streamKey, streamId, generation, nextDeliverySerial } of streams) {
      this.#generations.set(streamKey, generation);
      const known = this.shadows.get(streamId);
      const isPurged = purged.some(
        ({ appId, channel }) => appId === address.appId && channel === address.channel,
      );
      if (known !== undefined && isPurged) known.purgedBelow = nextDeliverySerial;
      if (known !== undefined) continue;
      const channel = `${address.appId}/${address.channel}`;
      const stream = {
        channel,
        streamId,
        generation,
        records: [],
        handed: new Set<number>(),
        purgedBelow: 0,
      };
      this.shadows.set(streamId, stream);
      this.#byKey.set(`${streamKey}#${generation}`, stream);
    }
    for (const { streamKey, generation, deliverySerial: serial, messageId } of records) {
      const stream = this.#byKey.get(`${streamKey}#${generation}`);
      const expected = (stream?.records.at(-1)?.serial ?? 0) + 1;
      if (serial !== expected)
        this.#report('contiguous-serials', 'G2', `serial ${expected} of ${stream?.channel}`, `${serial}`);
      stream?.records.push({ serial, messageId });
      if (messageId === null || stream === undefined) continue;
      const name = `${stream.channel} ${messageId}`;
      const places = [...(this.serials.get(name) ?? []), `${stream.streamId} ${serial}`];
      this.serials.set(name, places);
      if (places.length > 1 && places.every((place) => place.startsWith(stream.streamId)))
        this.#report('one-effect', 'G3', `message ${messageId} once`, places.join(', '));
    }
  }

  #mustBeHanded(streamKey: string, generation: number, serial: number): void {
    // The store ignores watermarks of a generation that a reset has ended.
    if (this.#generations.get(streamKey) !== generation) return;
    const stream = this.#byKey.get(`${streamKey}#${generation}`);
    const missing = stream?.records.find(
      (one) => one.serial <= serial && one.serial >= stream.purgedBelow && !stream.handed.has(one.serial),
    );
    if (missing !== undefined)
      this.#report(
        'watermark-handed',
        'G1',
        `serials up to ${serial} of ${stream?.channel} handed over`,
        `${missing.serial} was not`,
      );
  }

  #report(invariant: string, promise: string, expected: string, actual: string): void {
    this.env.report({ invariant, promise, expected, actual });
  }
}
