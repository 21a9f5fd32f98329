import type { FabricNames } from '@carillon/contracts';
import type { Identity } from './identity.js';
import type { Link } from './link.js';
import type { Subscriptions } from './subscriptions.js';
import { within } from './waiting.js';

export interface HearingParts {
  readonly names: FabricNames;
  readonly identity: Identity;
  readonly subscriptions: Subscriptions;
  readonly link: Link;
}

/** What a process is called at, whatever it does, and whether it hears that. */
export class Hearing {
  /** Empty: it only publishes. */
  #addresses: (nodeId: string) => readonly string[] = () => [];

  constructor(private readonly parts: HearingParts) {}

  /** Null while this process is connected and hears all that it must. */
  get problem(): string | null {
    const { link, subscriptions } = this.parts;
    if (link.problem !== null) return link.problem;
    return subscriptions.isComplete ? null : 'the broker has not confirmed what this node must hear';
  }

  /** Whether there is anything that it must hear. */
  get isNeeded(): boolean {
    return this.#own().length > 0;
  }

  /** What a process with sockets hears. */
  all(): void {
    const { names } = this.parts;
    this.#hear((nodeId) => [
      names.broadcast,
      names.requests,
      names.control,
      names.node(nodeId),
      names.reply(nodeId),
    ]);
  }

  /** A process without sockets hears of others only once it has something to ask. Waits for so long at most. */
  async answers(waitMs: number): Promise<void> {
    const { names, link, subscriptions } = this.parts;
    if (!this.isNeeded) this.#hear((nodeId) => [names.control, names.node(nodeId), names.reply(nodeId)]);
    if (link.problem !== null) return;
    await within(waitMs, subscriptions.complete());
  }

  /** Under a new name it hears what it heard under the old one. */
  rename(): void {
    const { identity, subscriptions } = this.parts;
    const before = this.#own();
    identity.renew();
    const after = this.#own();
    for (const address of after) subscriptions.keep(address);
    for (const address of before) if (!after.includes(address)) subscriptions.drop(address);
  }

  #hear(addresses: (nodeId: string) => readonly string[]): void {
    this.#addresses = addresses;
    for (const address of this.#own()) this.parts.subscriptions.keep(address);
  }

  #own(): readonly string[] {
    return this.#addresses(this.parts.identity.nodeId);
  }
}
