import type { LeaveCause, Member, PresencePlace } from '../../src/index.js';
import { as, line } from '../samples.js';

/** One lifetime of a process: a process declared dead continues as another one. */
type Life = object;

interface ModelUser {
  /** The one it came by. */
  readonly socketId: string;
  userInfoText: string;
  readonly holders: Set<Life>;
  /** Node whose lease keeps the user; null: none. */
  lease: Life | null;
}

/** A user as one process knows it. */
interface OwnUser {
  readonly sockets: Set<string>;
  userInfoText: string;
}

/** Minimal model of one place over several processes: users and their holders. */
export class ClusterModel {
  readonly #users = new Map<string, ModelUser>();
  readonly #lives = new Map<number, Life>();
  readonly #own = new Map<number, Map<string, OwnUser>>();
  readonly #dead = new Set<Life>();
  #told: string[] = [];

  constructor(private readonly place: PresencePlace) {}

  get members(): Member[] {
    return [...this.#users].map(([userId, { userInfoText, socketId }]) => ({
      userId,
      userInfoText,
      socketId,
    }));
  }

  /** Returns the changes to report since the last call. */
  told(): string[] {
    const told = this.#told.sort();
    this.#told = [];
    return told;
  }

  join(node: number, userId: string, socketId: string): void {
    const { userInfoText } = as(userId, socketId);
    const own = this.#ownOf(node).get(userId) ?? { sockets: new Set(), userInfoText };
    if (own.sockets.has(socketId)) return;
    own.sockets.add(socketId);
    own.userInfoText = userInfoText;
    this.#ownOf(node).set(userId, own);
    this.#hold(node, userId, own);
    const user = this.#users.get(userId);
    if (user !== undefined) user.userInfoText = userInfoText;
  }

  leave(node: number, userId: string, socketId: string, leased: boolean): void {
    const own = this.#ownOf(node).get(userId);
    const user = this.#users.get(userId);
    if (own?.sockets.delete(socketId) !== true || own.sockets.size > 0 || user === undefined) return;
    this.#ownOf(node).delete(userId);
    user.holders.delete(this.#lifeOf(node));
    if (user.holders.size > 0) return;
    if (leased) user.lease = this.#lifeOf(node);
    else this.#remove(userId, 'left');
  }

  /** Kills a process; its holdings expire. */
  die(node: number): void {
    this.#dead.add(this.#lifeOf(node));
    this.#lives.delete(node);
    this.#own.delete(node);
  }

  /** Every lease ends, of users and of dead processes. */
  pass(): void {
    for (const [userId, { holders, lease }] of this.#users) {
      for (const life of holders) if (this.#dead.has(life)) holders.delete(life);
      if (lease !== null) this.#remove(userId, 'left');
      else if (holders.size === 0) this.#remove(userId, 'orphan_cleanup');
    }
  }

  takeForDead(node: number): void {
    this.#dead.add(this.#lifeOf(node));
    this.pass();
  }

  /** Starts a new lifetime of the process, which writes its users again. */
  comeBack(node: number): void {
    this.#lives.delete(node);
    for (const [userId, own] of this.#ownOf(node)) this.#hold(node, userId, own);
  }

  #hold(node: number, userId: string, { sockets, userInfoText }: OwnUser): void {
    const user = this.#users.get(userId);
    if (user !== undefined) {
      user.holders.add(this.#lifeOf(node));
      user.lease = null;
      return;
    }
    const [socketId = ''] = sockets;
    const holders = new Set([this.#lifeOf(node)]);
    this.#users.set(userId, { userInfoText, socketId, holders, lease: null });
    const member = { userId, userInfoText, socketId };
    this.#told.push(line({ kind: 'added', ...this.place, member, socketId }));
  }

  #remove(userId: string, cause: LeaveCause): void {
    const { socketId: cameBy = '', userInfoText = null } = this.#users.get(userId) ?? {};
    this.#users.delete(userId);
    this.#told.push(line({ kind: 'removed', ...this.place, userId, userInfoText, cameBy, cause }));
  }

  #lifeOf(node: number): Life {
    const life = this.#lives.get(node) ?? {};
    this.#lives.set(node, life);
    return life;
  }

  #ownOf(node: number): Map<string, OwnUser> {
    const own = this.#own.get(node) ?? new Map<string, OwnUser>();
    this.#own.set(node, own);
    return own;
  }
}
