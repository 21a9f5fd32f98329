/** Nodes beyond these are not believed: no installation is that large. */
const MAX_MEMBERS = 1024;

/** Where a node expects events. */
export type Routing = 'broadcast' | 'dual' | 'interest';

interface Member {
  heardAtMs: number;
  routing: Routing;
}

/** The other nodes with sockets that are known to live. Silence is measured on the own clock alone. */
export class Members {
  readonly #members = new Map<string, Member>();
  #someBroadcast = false;

  get nodeIds(): readonly string[] {
    return [...this.#members.keys()];
  }

  get size(): number {
    return this.#members.size;
  }

  /** Whether somebody hears the shared address alone. */
  get someBroadcast(): boolean {
    return this.#someBroadcast;
  }

  /** A node says that it lives. */
  heartbeat(nodeId: string, routing: Routing, nowMs: number): 'known' | 'new' | 'no room' {
    const known = this.#members.get(nodeId);
    if (known === undefined && this.#members.size >= MAX_MEMBERS) return 'no room';
    this.#members.set(nodeId, { heardAtMs: nowMs, routing });
    if (known?.routing !== routing) this.#look();
    return known === undefined ? 'new' : 'known';
  }

  /** A node says something else. Nobody becomes known by that: not all who ask have sockets. */
  heard(nodeId: string, nowMs: number): void {
    const known = this.#members.get(nodeId);
    if (known !== undefined) known.heardAtMs = nowMs;
  }

  /** @returns whether it was there */
  remove(nodeId: string): boolean {
    const wasThere = this.#members.delete(nodeId);
    this.#look();
    return wasThere;
  }

  /** Those not heard of since then. */
  silentSince(beforeMs: number): readonly string[] {
    return [...this.#members].filter(([, { heardAtMs }]) => heardAtMs < beforeMs).map(([nodeId]) => nodeId);
  }

  /** All of them may be silent anew: nothing could be heard until now. */
  excuse(nowMs: number): void {
    for (const member of this.#members.values()) member.heardAtMs = nowMs;
  }

  /** Whether no living node has a smaller id: the one that cleans up after dead ones. */
  isLeader(nodeId: string): boolean {
    for (const other of this.#members.keys()) if (other < nodeId) return false;
    return true;
  }

  #look(): void {
    this.#someBroadcast = [...this.#members.values()].some(({ routing }) => routing === 'broadcast');
  }
}
