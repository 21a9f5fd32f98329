import type { Writer as Announcement } from '@carillon/contracts';

/** A writer that says nothing for so long is dead. */
const DEAD_AFTER_MS = 2000;
/** So many others are kept; whoever comes then is ignored until one is gone. */
const MAX_PEERS = 256;

export interface Peer {
  readonly writerId: string;
  readonly isLive: boolean;
  readonly serving: ReadonlySet<number>;
  /** Every lane it ever said it served: what it left behind may be in any of them. */
  readonly everServed: ReadonlySet<number>;
  readonly heardMs: number;
}

/** The other writers, by what they say of themselves. Times are of the listener's own monotonic clock. */
export class Peers {
  readonly #peers = new Map<string, Peer>();

  /** @returns whether anything is different now */
  heard({ writer_id: writerId, serving, state }: Announcement, nowMs: number): boolean {
    const before = this.#peers.get(writerId);
    if (before === undefined && this.#peers.size >= MAX_PEERS) return false;
    const peer: Peer = {
      writerId,
      isLive: state === 'live',
      serving: new Set(serving),
      everServed: new Set([...(before?.everServed ?? []), ...serving]),
      heardMs: nowMs,
    };
    this.#peers.set(writerId, peer);
    return before === undefined || before.isLive !== peer.isLive || !isSame(before.serving, peer.serving);
  }

  /** Forgets those who are dead, and tells who they were. */
  bury(nowMs: number): readonly Peer[] {
    const dead = [...this.#peers.values()].filter(({ heardMs }) => nowMs - heardMs >= DEAD_AFTER_MS);
    for (const { writerId } of dead) this.#peers.delete(writerId);
    return dead;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** Who may serve lanes. */
  get liveIds(): readonly string[] {
    return [...this.#peers.values()].filter(({ isLive }) => isLive).map(({ writerId }) => writerId);
  }

  serves(writerId: string, lane: number): boolean {
    return this.#peers.get(writerId)?.serving.has(lane) === true;
  }
}

const isSame = (one: ReadonlySet<number>, other: ReadonlySet<number>): boolean =>
  one.size === other.size && [...one].every((lane) => other.has(lane));
