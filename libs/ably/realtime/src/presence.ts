import {
  clientOf,
  CompatError,
  isObject,
  type JsonObject,
  inFormat,
  isShared,
  leftState,
  memberOf,
  type MemberState,
  memberState,
  messageRules,
  payloadOf,
  publisherOf,
} from '@carillon/ably-core';
import { Frames, type Membership, type Outlet, viewsOf } from '@carillon/realtime';
import type { MemberAdded, MemberRemoved } from '@carillon/protocol';
import type { Presence } from '@carillon/presence';
import type { Attachment, CompatConnection, OwnMember } from './connection.js';
import type { Counted } from './counted.js';
import { ACTION, MODE } from './flags.js';
import { frameId } from './frame-id.js';
import type { Remaining } from './remaining.js';
import type { FrameWriter } from './frame-writer.js';

const ABSENT = 0;
const PRESENT = 1;
const ENTER = 2;
const LEAVE = 3;
const UPDATE = 4;
const MAX_ACTION = UPDATE;
const NAMES: Readonly<Record<string, number>> = { absent: 0, present: 1, enter: 2, leave: 3, update: 4 };

/** Changes of one frame. */
const MAX_CHANGES = 1000;

interface Change {
  readonly isLeave: boolean;
  /** Whether it carries an id of this connection: a re-entry with the state that was already reported. */
  readonly isAgain: boolean;
  readonly member: OwnMember;
  /** The member state sent by the client. */
  readonly state: MemberState;
  readonly data: string | null;
  readonly clientId: string;
}

/** Handles members that connections enter, update and remove. */
export class Members {
  constructor(
    private readonly presence: Presence,
    private readonly outlet: Outlet,
    private readonly remaining: Remaining,
    private readonly counted: Counted,
    private readonly said: Pick<FrameWriter, 'say'>,
  ) {}

  /** @throws CompatError, or rejects with it, when not all of it could be done. */
  async handle(
    connection: CompatConnection,
    { base, text }: Pick<Attachment, 'base' | 'text'>,
    values: unknown,
  ): Promise<void> {
    const attachment = connection.attachments.get(text);
    if (attachment === undefined) throw new CompatError(91_001, 'the channel is not attached');
    if ((attachment.modes & MODE.PRESENCE) === 0)
      throw new CompatError(40_160, 'operation not permitted with provided capability');
    if (!Array.isArray(values) || values.length === 0 || values.length > MAX_CHANGES)
      throw new CompatError(40_000, 'presence must be a list');
    const changes = values.map((value) => readChange(connection, base, value));
    // A leave requires a restored membership, and a restored member is not reported again as entered.
    if (connection.comingBack !== null) await connection.comingBack;
    for (const change of changes) await this.#apply(connection, attachment, change);
    this.counted.presence(connection, base, changes);
  }

  /**
   * Restores the memberships of a resumed connection. They are set synchronously; resolves when their removal is
   * cancelled.
   */
  async keep(connection: CompatConnection, memberships: readonly Membership[]): Promise<void> {
    const kept: Promise<unknown>[] = [];
    const { id: socketId, hub, members } = connection;
    for (const { channel, userId, userInfoText } of memberships) {
      const own = members.get(channel) ?? new Map<string, OwnMember>();
      const clientId = clientOf(channel, userId);
      own.set(clientId, { clientId, userId, userInfoText });
      members.set(channel, own);
      kept.push(this.presence.join({ appId: hub.appId, channel, socketId, userId, userInfoText }, Infinity));
    }
    kept.push(this.remaining.back(connection));
    await Promise.all(kept);
    if (connection.isOpen) return;
    // It closed before its memberships were restored, so that its close handler did not remove them.
    const leaseMs = connection.isOver ? 0 : connection.manner.remainMs;
    const gone = memberships.map(({ channel, userId }) => ({ appId: hub.appId, channel, socketId, userId }));
    await Promise.all(gone.map((place) => this.presence.leave(place, leaseMs, 'connection_lost')));
  }

  /**
   * Delivers a membership event to the member's own connection, because the presence service notifies only the
   * others.
   */
  #tellOwn(connection: CompatConnection, fact: MemberAdded | MemberRemoved): void {
    const subscription = connection.subscriptions.get(fact.channel);
    if (subscription === undefined) return;
    const frames = new Frames(fact);
    for (const { codec } of viewsOf(subscription)) {
      this.outlet.sendOf(connection, frames, codec);
      codec.told?.(frames, Number(frames.of(codec) !== null), connection.hub.appId);
    }
  }

  /** Sends a client without presence subscription the events of its own members. */
  #sayOwn(
    connection: CompatConnection,
    { text, base, modes }: Attachment,
    { userId, userInfoText }: Pick<OwnMember, 'userId' | 'userInfoText'>,
    about: { readonly action: number; readonly serial: number | null },
  ): void {
    if ((modes & MODE.PRESENCE_SUBSCRIBE) !== 0) return;
    const timestamp = Date.now();
    const shown = memberOf(base, { userId, userInfoText, socketId: connection.id }, { ...about, timestamp });
    const presence = [inFormat(shown, connection.manner.format)];
    const id = shown.id ?? frameId();
    this.said.say(connection, { action: ACTION.presence, id, channel: text, timestamp, presence });
  }

  async #apply(connection: CompatConnection, attachment: Attachment, change: Change): Promise<void> {
    const { base: channel } = attachment;
    const { isLeave, isAgain, member, state } = change;
    const own = connection.members.get(channel) ?? new Map<string, OwnMember>();
    const { clientId, userId, userInfoText } = member;
    const place = { appId: connection.hub.appId, channel, socketId: connection.id, userId };
    const before = own.get(clientId);
    const isMember = before !== undefined;
    if (isLeave) {
      own.delete(clientId);
      if (!isMember) return;
      const left = leftState(channel, state, before.userInfoText);
      const lastWords = left ?? before.userInfoText;
      await this.presence.leave(place, 0, 'left', left ?? undefined);
      // Another connection may be the same user, in which case no leave is reported.
      const said = { userInfoText: lastWords, socketId: connection.id };
      const gone = { kind: 'member_removed', channel, userId, ...said, serial: 0 } as const;
      if (isShared(channel)) this.#tellOwn(connection, gone);
      this.#sayOwn(connection, attachment, gone, { action: LEAVE, serial: null });
      return;
    }
    if (!isMember) {
      // The previous membership may still exist, although its node no longer responds.
      const isNews = !isAgain || !(await this.presence.present(place, [userId])).has(userId);
      const limit = connection.hub.app.limits.maxPresenceMembersPerChannel;
      const outcome = await this.presence.join({ ...place, userInfoText }, limit);
      if (outcome.kind === 'full') throw new CompatError(91_003, 'the channel has as many members as it may');
      own.set(clientId, member);
      connection.members.set(channel, own);
      // The connection closed during the join, so that its close handler did not remove this member.
      if (!connection.isOpen) await this.presence.leave(place, connection.manner.remainMs, 'connection_lost');
      if (!isNews) return;
      const { serial } = outcome;
      const told = { userId, userInfoText, socketId: connection.id };
      this.#tellOwn(connection, { kind: 'member_added', channel, member: told, serial });
      this.#sayOwn(connection, attachment, member, { action: ENTER, serial });
      await this.remaining.entered(connection, channel, clientId);
      return;
    }
    // Clients re-enter their members after a resume. These were kept, and others have not seen them leave.
    if (isAgain) return;
    own.set(clientId, member);
    await this.presence.update({ ...place, userInfoText });
    this.#sayOwn(connection, attachment, member, { action: UPDATE, serial: null });
  }
}

function readChange(connection: CompatConnection, channel: string, value: unknown): Change {
  if (!isObject(value)) throw new CompatError(40_000, 'a presence message must be an object');
  const action = actionOf(value);
  const { principal } = connection;
  const clientId = publisherOf(value, { clientId: principal.clientId, mayBeAnybody: principal.mayBeAnybody });
  if (clientId === null) throw new CompatError(91_000, 'presence needs a clientId');
  const { data, encoding, bytes } = payloadOf(value);
  const extras = extrasOf(value);
  const maxBytes = Math.min(
    messageRules(connection.hub.app).maxBytes,
    connection.hub.app.limits.maxPresenceMemberBytes,
  );
  const extrasBytes = extras === null ? 0 : Buffer.byteLength(JSON.stringify(extras));
  if (bytes + extrasBytes > maxBytes) throw new CompatError(40_009, 'the member is too large');
  const state = { clientId, connectionId: connection.id, data, encoding, extras, atMs: Date.now() };
  const kept = memberState(channel, state);
  const isLeave = action === LEAVE || action === ABSENT;
  const { id } = value;
  const isAgain =
    (action === ENTER || action === PRESENT) && typeof id === 'string' && id.startsWith(`${connection.id}:`);
  return { isLeave, isAgain, member: { clientId, ...kept }, state, clientId, data };
}

function extrasOf({ extras }: JsonObject): JsonObject | null {
  if (extras === undefined || extras === null) return null;
  if (!isObject(extras)) throw new CompatError(40_032, 'extras must be an object');
  return extras;
}

function actionOf({ action }: JsonObject): number {
  const number = typeof action === 'string' ? NAMES[action] : action;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 0 || number > MAX_ACTION)
    throw new CompatError(40_000, 'the presence action is not known');
  return number;
}
