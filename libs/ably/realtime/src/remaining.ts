import { createHash } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { isObject, isShared, parseJson } from '@carillon/ably-core';
import type { Presence } from '@carillon/presence';
import type { CompatConnection, OwnMember } from './connection.js';

/** The record of a remaining member expires this much earlier than the member is removed. */
const MARGIN_MS = 250;

/** A member of a disconnected connection that remains for a while. */
interface Remainder {
  readonly connectionId: string;
  readonly userId: string;
  readonly userInfoText: string;
}

/**
 * Members of disconnected connections with an explicit remain time. If the client enters the same channel by another
 * connection, the older member leaves immediately. On channels whose members are users there is one member anyway.
 * Shared by all processes; of several older connections of one client, the last disconnected one is recorded.
 */
export class Remaining {
  constructor(
    private readonly cache: Pick<Cache, 'compareAndRemove' | 'get' | 'set'>,
    private readonly presence: Pick<Presence, 'join' | 'leave' | 'present'>,
  ) {}

  /** Remembers the members of a connection that was cut. */
  async cut(connection: CompatConnection): Promise<void> {
    const { remainMs, asksToRemain } = connection.manner;
    if (!asksToRemain) return;
    await each(connection, (name, text) => this.cache.set(name, text, remainMs - MARGIN_MS));
  }

  /** It is back, and its members with it. */
  async back(connection: CompatConnection): Promise<void> {
    if (!connection.manner.asksToRemain) return;
    await each(connection, (name, text) => this.cache.compareAndRemove(name, text));
  }

  /** Removes the remaining member of an older connection when the client has entered by this one. */
  async entered(connection: CompatConnection, channel: string, clientId: string): Promise<void> {
    if (isShared(channel)) return;
    const { appId } = connection.hub;
    const name = nameOf(appId, channel, clientId);
    const text = await this.cache.get(name);
    const older = text === null ? null : read(text);
    if (text === null || older === null || connection.hub.subscriber(older.connectionId) !== null) return;
    if (!(await this.cache.compareAndRemove(name, text))) return;
    const place = { appId, channel };
    if (!(await this.presence.present(place, [older.userId])).has(older.userId)) return;
    const member = { ...place, userId: older.userId, socketId: older.connectionId };
    // Only a connected member can leave before its time, so that it is joined again first.
    await this.presence.join({ ...member, userInfoText: older.userInfoText }, Infinity);
    await this.presence.leave(member, 0, 'left');
  }
}

async function each(
  { id: connectionId, hub, members }: CompatConnection,
  done: (name: string, text: string) => Promise<unknown>,
): Promise<void> {
  const all = [...members].flatMap(([channel, own]) =>
    isShared(channel) ? [] : [...own.values()].map((one): [string, OwnMember] => [channel, one]),
  );
  await Promise.all(
    all.map(([channel, { clientId, userId, userInfoText }]) => {
      const remainder: Remainder = { connectionId, userId, userInfoText };
      return done(nameOf(hub.appId, channel, clientId), JSON.stringify(remainder));
    }),
  );
}

const nameOf = (appId: string, channel: string, clientId: string): string =>
  `compat:remaining:${createHash('sha256')
    .update(JSON.stringify([appId, channel, clientId]))
    .digest('hex')}`;

function read(text: string): Remainder | null {
  const kept = parseJson(text);
  if (!isObject(kept)) return null;
  const { connectionId, userId, userInfoText } = kept;
  return typeof connectionId === 'string' && typeof userId === 'string' && typeof userInfoText === 'string'
    ? { connectionId, userId, userInfoText }
    : null;
}
