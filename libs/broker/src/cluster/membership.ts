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
import type { MessageSender } from './message-sender.js';

export interface MembershipOptions {
  /** False: no heartbeats; live nodes are discovered by each request. */
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
  readonly post: MessageSender;
  readonly meters: ClusterMeters;
  readonly log: ClusterLog;
  /** Whether this node receives messages of others. */
  readonly hears: () => boolean;
  /** Settles once the broker has answered, behind all that it had for this node; rejects when it does not. */
  readonly answers: () => Promise<void>;
  readonly onGone: (nodeId: string) => void;
  /** The others have given this node up under its name. */
  readonly onDeclaredDead: () => void;
}

/** Interval of the reminder that some node receives no individual channels. */
const REMIND_EVERY_MS = 60_000;

/** Tracks the live nodes. Nodes with sockets send heartbeats; all listeners keep a table of the others. */
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

  /** Marks this node as one with sockets; effective with the next `announce`. */
  join(): void {
    this.#isMember = true;
  }

  /**
   * Announces this node after it started or resumed receiving, and requests a roll call. Resolves when the answers
   * have arrived.
   */
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

  /** Switches this node to the shared address for all channels. Resolves when the other nodes have been notified. */
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
      // Messages sent before this node learned of its removal may have re-added the old id to the tables of the
      // others.
      void this.#sayFarewell(nodeId);
    } else if (this.members.remove(nodeId)) {
      meters.nodeDead();
      this.#gone(nodeId, 'node died');
    }
  }

  /** Sends the farewell. Resolves when it was sent or failed; nothing is sent afterwards. */
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
   * Removes silent nodes, unless this node itself cannot receive: then silence proves nothing. Removals sent before
   * it notices would be accepted by the others once the connection is restored.
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
