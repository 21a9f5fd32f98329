/** Nodes beyond these are not believed: no installation is that large. */
const MAX_MEMBERS = 1024;

/** Addresses under which a node expects events. */
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

  /** Whether any node listens on the shared address only. */
  get someBroadcast(): boolean {
    return this.#someBroadcast;
  }

  /** Records a heartbeat of a node. */
  heartbeat(nodeId: string, routing: Routing, nowMs: number): 'known' | 'new' | 'no room' {
    const known = this.#members.get(nodeId);
    if (known === undefined && this.#members.size >= MAX_MEMBERS) return 'no room';
    this.#members.set(nodeId, { heardAtMs: nowMs, routing });
    if (known?.routing !== routing) this.#look();
    return known === undefined ? 'new' : 'known';
  }

  /** Records another message of a node. It does not create a member: requesters may have no sockets. */
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

  /** Returns the nodes whose last message is older than the given time. */
  silentSince(beforeMs: number): readonly string[] {
    return [...this.#members].filter(([, { heardAtMs }]) => heardAtMs < beforeMs).map(([nodeId]) => nodeId);
  }

  /** Resets the silence of all nodes, after a period in which this node could not receive. */
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
