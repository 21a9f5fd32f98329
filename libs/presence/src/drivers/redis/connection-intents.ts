import { readSubjects, type Operation, type Result, type Subjects } from '../../cluster/operation.js';
import type { Intent, Shard } from '../../cluster/shard.js';
import { unavailable } from '../../cluster/store.js';
import { ONLINE_USERS } from '../../online-users.js';
import type { JoinOutcome, Member, Presentation } from '../../port.js';
import type { Parting, Place } from './place.js';

/** Users in order of first join. */
export const membersOf = (reply: unknown): Member[] =>
  readSubjects(reply)
    .sort(([, one], [, other]) => (one.order < other.order ? -1 : 1))
    .map(([userId, { payload, cameBy }]) => ({ userId, userInfoText: payload, socketId: cameBy }));

interface Caller<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

/** Joins a connection. A join without an answer in time is undone if it turns out to have happened. */
export class Joining implements Intent {
  readonly subject: string;
  readonly isLasting = false;
  readonly wantsSubjects: boolean;
  #hasFailed = false;

  constructor(
    private readonly place: Place,
    private readonly who: Presentation,
    private readonly maxMembers: number,
    private readonly shard: Shard,
    private readonly caller: Caller<JoinOutcome>,
  ) {
    this.subject = who.userId;
    this.wantsSubjects = who.channel !== ONLINE_USERS;
  }

  prepare(): Operation {
    const { userId, socketId, userInfoText } = this.who;
    return this.place.joining(userId, socketId, userInfoText, this.maxMembers);
  }

  done(result: Result, subjects: Subjects | null): void {
    const { userId, socketId, userInfoText } = this.who;
    if (result.outcome === 'full') {
      this.caller.resolve({ kind: 'full' });
      return;
    }
    const isNew = !this.place.holds(userId, socketId);
    this.place.joined(userId, socketId, userInfoText, result);
    if (this.#hasFailed) {
      if (isNew) this.shard.add(new LeavingConnection(this.place, this.who, TAKEN_BACK, UNHEARD));
      return;
    }
    const isListed = this.wantsSubjects && subjects !== null;
    this.caller.resolve({
      kind: 'joined',
      members: isListed ? membersOf(subjects.reply) : [],
      serial: subjects?.serial ?? result.serial,
    });
  }

  failed(error: unknown): void {
    this.#hasFailed = true;
    this.caller.reject(unavailable(error));
  }
}

/** Removes a connection; retried until the store is available. */
export class LeavingConnection implements Intent {
  readonly subject: string;
  readonly isLasting = true;
  readonly wantsSubjects = false;

  constructor(
    private readonly place: Place,
    private readonly who: Omit<Presentation, 'userInfoText'>,
    private readonly parting: Parting,
    private readonly caller: Caller<void>,
  ) {
    this.subject = who.userId;
  }

  prepare(): Operation | null {
    const { userId, socketId } = this.who;
    if (this.place.holds(userId, socketId)) return this.place.leaving(userId, this.parting);
    this.caller.resolve();
    return null;
  }

  done(result: Result): void {
    const { userId, socketId } = this.who;
    this.place.left(userId, socketId, this.parting, result);
    this.caller.resolve();
  }

  failed(error: unknown): void {
    this.caller.reject(unavailable(error));
  }
}

/** A connection sets the info of its user. */
export class Updating implements Intent {
  readonly subject: string;
  readonly isLasting = false;
  readonly wantsSubjects = false;

  constructor(
    private readonly place: Place,
    private readonly who: Presentation,
    private readonly caller: Caller<boolean>,
  ) {
    this.subject = who.userId;
  }

  prepare(): Operation | null {
    const { userId, socketId, userInfoText } = this.who;
    if (this.place.holds(userId, socketId)) return this.place.updating(userId, userInfoText);
    this.caller.resolve(false);
    return null;
  }

  done(result: Result): void {
    const { userId, socketId, userInfoText } = this.who;
    this.place.updated(userId, socketId, userInfoText, result);
    this.caller.resolve(true);
  }

  failed(error: unknown): void {
    this.caller.reject(unavailable(error));
  }
}

const TAKEN_BACK: Parting = { leaseMs: 0, cause: 'left' };
const UNHEARD: Caller<void> = { resolve: () => undefined, reject: () => undefined };
