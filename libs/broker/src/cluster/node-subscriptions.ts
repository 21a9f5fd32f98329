import type { BrokerNames } from '@carillon/contracts';
import type { Identity } from './identity.js';
import type { Link } from './link.js';
import type { Subscriptions } from './subscriptions.js';
import { within } from './waiting.js';

export interface HearingParts {
  readonly names: BrokerNames;
  readonly identity: Identity;
  readonly subscriptions: Subscriptions;
  readonly link: Link;
}

/** Subscriptions of this node to its own addresses, and whether they are confirmed. */
export class NodeSubscriptions {
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

  /** Subscribes to the addresses of a process with sockets. */
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

  /** Subscribes a process without sockets to its reply address before its first request. Waits at most `waitMs`. */
  async answers(waitMs: number): Promise<void> {
    const { names, link, subscriptions } = this.parts;
    if (!this.isNeeded) this.#hear((nodeId) => [names.control, names.node(nodeId), names.reply(nodeId)]);
    if (link.problem !== null) return;
    await within(waitMs, subscriptions.complete());
  }

  /** Moves the subscriptions to the new node id. */
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
