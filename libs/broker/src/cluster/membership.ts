import {
  HEARTBEAT,
  NODE_DEAD,
  NODE_LEAVING,
  ROLL_CALL,
  type Heartbeat,
  type NodeDead,
  type NodeLeaving,
  type RollCall,
} from '@carillon/contracts';
import { Discovery, type DiscoveryOptions } from './discovery.js';
import type { Identity } from './identity.js';
import { Members, type Routing } from './members.js';
import type { ClusterLog, ClusterMeters } from './meters.js';
import type { Post } from './post.js';

export interface MembershipOptions {
  /** False: nobody sends heartbeats; who lives is found out for each question. */
  readonly isWatching: boolean;
  readonly heartbeatIntervalMs: number;
  readonly nodeTimeoutMs: number;
  readonly cleanupIntervalMs: number;
  readonly discovery: DiscoveryOptions;
  readonly routing: Routing;
}

export interface MembershipParts {
  readonly options: MembershipOptions;
  readonly identity: Identity;
  readonly post: Post;
  readonly meters: ClusterMeters;
  readonly log: ClusterLog;
  /** Whether this node hears what others say. */
  readonly hears: () => boolean;
  /** Settles once the broker has answered, behind all that it had for this node; rejects when it does not. */
  readonly answers: () => Promise<void>;
  readonly onGone: (nodeId: string) => void;
  /** The others have given this node up under its name. */
  readonly onDeclaredDead: () => void;
}

/** How often it is said that some node does not hear channels by themselves. */
const REMIND_EVERY_MS = 60_000;

/** Who lives. Nodes with sockets tell it about themselves; all that listen keep a table of the others. */
export class Membership {
  readonly members = new Members();
  readonly #parts: MembershipParts;
  #discovery: Discovery | null = null;
  #beat: NodeJS.Timeout | null = null;
  #sweep: NodeJS.Timeout | null = null;
  #seq = 0;
  #isMember = false;
  #hasAnnounced = false;
  #remindedAtMs = -Infinity;
  #isMakingSure = false;
  #hearsShared = false;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
  }

  /** This node has sockets: the others are told from the next `announce` on. */
  join(): void {
    this.#isMember = true;
  }

  /** This node hears again, or for the first time: says so, and asks who lives. Settles when that is known. */
  announce(): Promise<void> {
    const { post, identity, options } = this.#parts;
    this.members.excuse(performance.now());
    if (this.#isMember && options.isWatching) {
      this.#hasAnnounced = true;
      this.#sendHeartbeat(post.names.control);
      this.#beat ??= setInterval(() => this.#sendHeartbeat(post.names.control), options.heartbeatIntervalMs);
    }
    this.#sweep ??= setInterval(() => void this.#buryWhenSure(), options.cleanupIntervalMs);
    this.#discovery?.end();
    this.#discovery = new Discovery(options.discovery);
    post.tell(ROLL_CALL, { node_id: identity.nodeId }, post.names.control);
    return this.#discovery.done;
  }

  /** From now on this node wants everything under the shared address; settles when the broker has told the others. */
  hearShared(): Promise<void> {
    this.#hearsShared = true;
    const { post } = this.#parts;
    return post.send(HEARTBEAT, this.#heartbeat(), [post.names.control]);
  }

  /** Settles when the table can be relied upon. */
  async known(): Promise<void> {
    if (this.#parts.options.isWatching) await this.#discovery?.done;
    else await this.announce();
  }

  heartbeat({ node_id: nodeId, routing }: Heartbeat): void {
    const { log, options, meters } = this.#parts;
    const what = this.members.heartbeat(nodeId, routing, performance.now());
    if (what === 'no room') {
      meters.dropped();
      log.warn('too many nodes say that they live', { nodes: this.members.size });
      return;
    }
    if (what === 'new') log.info('node joined', { node_id: nodeId, nodes: this.members.size + 1 });
    this.#discovery?.progress();
    if (options.routing === 'interest' && this.members.someBroadcast) this.#remind();
  }

  rollCall({ node_id: nodeId }: RollCall): void {
    if (this.#isMember) this.#sendHeartbeat(this.#parts.post.names.node(nodeId));
  }

  leaving({ node_id: nodeId }: NodeLeaving): void {
    if (this.members.remove(nodeId)) this.#gone(nodeId, 'node left');
  }

  dead({ dead_node_id: nodeId }: NodeDead): void {
    const { identity, onDeclaredDead, meters, log } = this.#parts;
    if (nodeId === identity.nodeId) {
      log.warn('declared dead by others, joining under a new name', { node_id: nodeId });
      onDeclaredDead();
      // What this node said before it heard of its death may have put the old name back on the others' tables.
      void this.#sayFarewell(nodeId);
    } else if (this.members.remove(nodeId)) {
      meters.nodeDead();
      this.#gone(nodeId, 'node died');
    }
  }

  /** Settles when the others have been told, or could not be. Nothing is sent afterwards. */
  async leave(): Promise<void> {
    if (this.#beat !== null) clearInterval(this.#beat);
    if (this.#sweep !== null) clearInterval(this.#sweep);
    this.#discovery?.end();
    this.#isMember = false;
    if (!this.#hasAnnounced) return;
    await this.#sayFarewell(this.#parts.identity.nodeId);
  }

  #sayFarewell(nodeId: string): Promise<void> {
    const { post } = this.#parts;
    const body = { node_id: nodeId, pending_leases: [] };
    return post.send(NODE_LEAVING, body, [post.names.control]).catch(() => undefined);
  }

  #sendHeartbeat(address: string): void {
    this.#parts.post.tell(HEARTBEAT, this.#heartbeat(), address);
  }

  #heartbeat() {
    const { identity, options } = this.#parts;
    this.#seq += 1;
    const routing = this.#hearsShared ? 'broadcast' : options.routing;
    return { node_id: identity.nodeId, role: 'default', routing, seq: this.#seq } as const;
  }

  get #silent(): readonly string[] {
    return this.members.silentSince(performance.now() - this.#parts.options.nodeTimeoutMs);
  }

  /**
   * While this node is deaf itself, silence says nothing about others. It may not know yet that it is: what it said of
   * others then would still leave, and be believed, once the way is free again.
   */
  async #buryWhenSure(): Promise<void> {
    const { options, hears, answers } = this.#parts;
    if (!options.isWatching || !hears() || this.#isMakingSure || this.#silent.length === 0) return;
    this.#isMakingSure = true;
    const isSure = await answers().then(
      () => true,
      () => false,
    );
    this.#isMakingSure = false;
    if (isSure && hears()) this.#bury(this.#silent);
  }

  #bury(dead: readonly string[]): void {
    const { post, identity, meters } = this.#parts;
    for (const nodeId of dead) this.members.remove(nodeId);
    const tells = this.#isMember && this.members.isLeader(identity.nodeId);
    for (const nodeId of dead) {
      meters.nodeDead();
      this.#gone(nodeId, 'node died');
      const body = { node_id: identity.nodeId, dead_node_id: nodeId };
      if (tells) post.tell(NODE_DEAD, body, post.names.control);
    }
  }

  #gone(nodeId: string, message: string): void {
    this.#parts.log.info(message, { node_id: nodeId, nodes: this.members.size + 1 });
    this.#parts.onGone(nodeId);
  }

  #remind(): void {
    const nowMs = performance.now();
    if (nowMs - this.#remindedAtMs < REMIND_EVERY_MS) return;
    this.#remindedAtMs = nowMs;
    this.#parts.log.error(
      'a node routes by broadcast while this one routes by interest: publishing both ways',
    );
  }
}
