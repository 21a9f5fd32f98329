/** The latest message of each group of a channel, for subscribers who come later. Of too many the oldest goes. */
export class LatestBases<Message> {
  readonly #byGroup = new Map<string, { readonly base: string; readonly message: Message }>();

  constructor(private readonly maxGroups: number) {}

  put(group: string, base: string, message: Message): void {
    this.#byGroup.delete(group);
    this.#byGroup.set(group, { base, message });
    if (this.#byGroup.size <= this.maxGroups) return;
    for (const oldest of this.#byGroup.keys()) {
      this.#byGroup.delete(oldest);
      return;
    }
  }

  /** The bases that a subscription may see, by group. */
  visible(accepts: (message: Message) => boolean): ReadonlyMap<string, string> {
    const bases = new Map<string, string>();
    for (const [group, { base, message }] of this.#byGroup) {
      if (accepts(message)) bases.set(group, base);
    }
    return bases;
  }
}
