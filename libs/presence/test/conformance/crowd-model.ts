import type { Member, Presentation } from '../../src/index.js';
import type { PresenceEvent } from '../../src/port.js';
import { expect } from 'vitest';
import { line } from '../samples.js';

interface ModelUser extends Member {
  readonly sockets: Set<string>;
  userInfoText: string;
  leased: boolean;
}

/** Expected result and reports of an operation. */
export interface Expected {
  readonly answer: unknown;
  readonly told: readonly string[];
}

const expected = (answer: unknown, ...changes: PresenceEvent[]): Expected => ({
  answer,
  told: changes.map(line),
});

const removed = (
  appId: string,
  channel: string,
  { userId, userInfoText, socketId: cameBy }: Member,
): PresenceEvent => ({ kind: 'removed', appId, channel, userId, userInfoText, cameBy, cause: 'left' });

/** Minimal model of one place: a list of users. */
export class CrowdModel {
  #users: ModelUser[] = [];

  get members(): readonly Member[] {
    return this.#users.map(({ userId, userInfoText, socketId }) => ({ userId, userInfoText, socketId }));
  }

  join(presentation: Presentation, maxMembers: number): Expected {
    const { userId, socketId, userInfoText } = presentation;
    const user = this.#find(userId);
    if (user === undefined) {
      if (this.#users.length >= maxMembers) return expected({ kind: 'full' });
      this.#users.push({ userId, socketId, sockets: new Set([socketId]), userInfoText, leased: false });
      const member = { userId, userInfoText, socketId };
      return expected(this.#joined(), { kind: 'added', member, ...presentation });
    }
    if (!user.sockets.has(socketId)) {
      user.sockets.add(socketId);
      user.userInfoText = userInfoText;
      user.leased = false;
    }
    return expected(this.#joined());
  }

  leave(
    { appId, channel, userId, socketId }: Presentation,
    leased: boolean,
    lastWords: string | null,
  ): Expected {
    const user = this.#find(userId);
    if (user === undefined || !user.sockets.delete(socketId) || user.sockets.size > 0)
      return expected(undefined);
    user.userInfoText = lastWords ?? user.userInfoText;
    if (leased) {
      user.leased = true;
      return expected(undefined);
    }
    this.#users = this.#users.filter((one) => one !== user);
    return expected(undefined, removed(appId, channel, user));
  }

  update(presentation: Presentation): Expected {
    const { userId, socketId, userInfoText } = presentation;
    const user = this.#find(userId);
    if (user?.sockets.has(socketId) !== true) return expected(false);
    user.userInfoText = userInfoText;
    const member = { userId, userInfoText, socketId: user.socketId };
    return expected(true, { kind: 'updated', member, ...presentation });
  }

  endLeases(appId: string, channel: string): Expected {
    const gone = this.#users.filter(({ leased }) => leased);
    this.#users = this.#users.filter(({ leased }) => !leased);
    return expected(undefined, ...gone.map((user) => removed(appId, channel, user)));
  }

  #joined(): unknown {
    return { kind: 'joined', members: this.members, serial: expect.any(Number) };
  }

  #find(userId: string): ModelUser | undefined {
    return this.#users.find((one) => one.userId === userId);
  }
}
