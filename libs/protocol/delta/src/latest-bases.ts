import type { BaseHolder } from './base-budget.js';

/** Latest message of each group of a channel, for later subscribers. Beyond the limit the oldest is evicted. */
export class LatestBases<Message> implements BaseHolder {
  readonly #byGroup = new Map<string, { readonly base: string; readonly message: Message }>();
  #length = 0;

  constructor(private readonly maxGroups: number) {}

  get length(): number {
    return this.#length;
  }

  put(group: string, base: string, message: Message): void {
    this.#drop(group);
    this.#byGroup.set(group, { base, message });
    this.#length += base.length;
    if (this.#byGroup.size <= this.maxGroups) return;
    for (const oldest of this.#byGroup.keys()) return this.#drop(oldest);
  }

  clear(): void {
    this.#byGroup.clear();
    this.#length = 0;
  }

  /** Returns the bases that a subscription may see, by group; null if that is not known of one of them (`accepts` is null). */
  visible(accepts: (message: Message) => boolean | null): ReadonlyMap<string, string> | null {
    const bases = new Map<string, string>();
    for (const [group, { base, message }] of this.#byGroup) {
      const isVisible = accepts(message);
      if (isVisible === null) return null;
      if (isVisible) bases.set(group, base);
    }
    return bases;
  }

  #drop(group: string): void {
    this.#length -= this.#byGroup.get(group)?.base.length ?? 0;
    this.#byGroup.delete(group);
  }
}
