import { ServiceError } from '@carillon/errors';

/** Work on one item of a channel's queue. */
export interface LineWork<Item> {
  /** Stores it; false when it could not be stored. */
  keep(item: Item): Promise<boolean>;
  /** Sends it; called in queue order without waiting for the result. */
  send(item: Item): Promise<void> | undefined;
}

/** Limits of the queues, beyond which items are refused. */
export interface LineBounds {
  /** Items that may wait behind the one being stored. */
  readonly maxWaitingPerChannel: number;
  /** Items of all channels together that may wait or be stored at one time. */
  readonly maxUnderWay: number;
}

interface Place<Item> {
  readonly item: Item;
  readonly settle: (sent: Promise<void> | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Keeps, then sends: the items of one channel strictly one after another, in the order they came, those of different
 * channels side by side.
 */
export class ChannelLines<Item> {
  /** Items waiting behind the current one of each channel. */
  readonly #lines = new Map<string, Place<Item>[]>();
  #underWay = 0;

  constructor(
    private readonly work: LineWork<Item>,
    private readonly bounds: LineBounds,
  ) {}

  /**
   * Settles as sending does. Rejects with `ServiceError` `backpressure` when too many wait; such an item is neither
   * kept nor sent.
   */
  pass(channel: string, item: Item): Promise<void> {
    const line = this.#lines.get(channel);
    if (this.#isFull(line)) return Promise.reject(new ServiceError('backpressure'));
    this.#underWay += 1;
    return new Promise((settle, fail) => {
      const place = { item, settle, fail };
      if (line === undefined) void this.#open(channel, place);
      else line.push(place);
    });
  }

  #isFull(line: readonly unknown[] = []): boolean {
    const { maxWaitingPerChannel, maxUnderWay } = this.bounds;
    return line.length >= maxWaitingPerChannel || this.#underWay >= maxUnderWay;
  }

  async #open(channel: string, first: Place<Item>): Promise<void> {
    const line: Place<Item>[] = [];
    this.#lines.set(channel, line);
    let kept = true;
    for (let place: Place<Item> | undefined = first; place !== undefined; place = line.shift()) {
      try {
        // While storing fails only the newest is tried: a long line must not wait for a timeout each.
        if (kept || line.length === 0) kept = await this.work.keep(place.item);
        place.settle(this.work.send(place.item));
      } catch (error) {
        place.fail(error);
      }
      this.#underWay -= 1;
    }
    this.#lines.delete(channel);
  }
}
