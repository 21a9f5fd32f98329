import type { Writer as Announcement } from '@carillon/contracts';

/** Silence after which a writer is dead. */
const DEAD_AFTER_MS = 2000;
/** Limit of known writers; further ones are ignored until one is removed. */
const MAX_PEERS = 256;

export interface Peer {
  readonly writerId: string;
  readonly isLive: boolean;
  readonly serving: ReadonlySet<number>;
  /** All lanes it ever served: it may have left unsent records in any of them. */
  readonly everServed: ReadonlySet<number>;
  readonly heardMs: number;
}

/** The other writers, according to their announcements. Times are of the local monotonic clock. */
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

  /** Removes and returns dead writers. */
  bury(nowMs: number): readonly Peer[] {
    const dead = [...this.#peers.values()].filter(({ heardMs }) => nowMs - heardMs >= DEAD_AFTER_MS);
    for (const { writerId } of dead) this.#peers.delete(writerId);
    return dead;
  }

  get size(): number {
    return this.#peers.size;
  }

  /** Writers that may serve lanes. */
  get liveIds(): readonly string[] {
    return [...this.#peers.values()].filter(({ isLive }) => isLive).map(({ writerId }) => writerId);
  }

  serves(writerId: string, lane: number): boolean {
    return this.#peers.get(writerId)?.serving.has(lane) === true;
  }
}

const isSame = (one: ReadonlySet<number>, other: ReadonlySet<number>): boolean =>
  one.size === other.size && [...one].every((lane) => other.has(lane));
