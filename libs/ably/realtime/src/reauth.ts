import {
  type CompatCore,
  CompatError,
  isObject,
  type JsonObject,
  NOT_GRANTED,
  type Principal,
  readCredentials,
} from '@carillon/ably-core';
import type { Hub } from '@carillon/realtime';
import type { Attach } from './attach.js';
import { attachedFrame } from './attached.js';
import { connectedFrame } from './connected.js';
import type { Attachment, CompatConnection } from './connection.js';
import { grantedModes, MODE } from './flags.js';
import type { Life } from './life.js';
import type { FrameWriter } from './frame-writer.js';
import type { Syncing } from './syncing.js';

/** The clientId of a token that permits any. */
const ANYBODY = '*';

/** Dependencies of reauthentication. */
export interface ReauthParts {
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly said: FrameWriter;
  readonly attach: Attach;
  readonly syncing: Pick<Syncing, 'look' | 'show'>;
  readonly life: Pick<Life, 'renewed'>;
  /** The server id sent to clients. */
  readonly serverId: string;
}

/** Replaces the token of a connection and applies its capability. */
export class Reauth {
  constructor(private readonly parts: ReauthParts) {}

  /** @throws CompatError, or rejects with it, when the connection is to end. */
  async handle(connection: CompatConnection, { auth }: JsonObject): Promise<void> {
    const { core, said, life, serverId } = this.parts;
    const principal = await this.#prove(connection, auth);
    const { id, principal: former, keyHash: formerHash } = connection;
    const { key, keyHash } = await core.connectionKeys.renew(id, principal);
    connection.principal = principal;
    connection.keyHash = keyHash;
    connection.transport?.keyChanged?.(keyHash);
    life.renewed(connection);
    await core.connectionKeys.end({ id, principal: former, keyHash: formerHash });
    said.say(connection, connectedFrame(connection, { key, error: null }, serverId));
    for (const attachment of connection.attachments.values()) await this.#again(connection, attachment);
  }

  async #prove({ principal: before }: CompatConnection, auth: unknown): Promise<Principal> {
    const token = isObject(auth) ? auth['accessToken'] : undefined;
    if (typeof token !== 'string') throw new CompatError(40_000, 'auth needs an accessToken');
    const asked = readCredentials({ query: { access_token: token }, header: () => undefined });
    // A wildcard token is valid for the current clientId of the connection.
    const clientId = before.clientId === ANYBODY ? null : before.clientId;
    const principal = await this.parts.core.authentication.prove({ ...asked, clientId }, Date.now());
    if (principal.app.id !== before.app.id || principal.clientId !== before.clientId)
      throw new CompatError(40_102, 'clientId is not that of the connection');
    return principal;
  }

  /** Notifies the client if the modes of an attachment have changed; an attachment without any mode fails. */
  async #again(connection: CompatConnection, attachment: Attachment): Promise<void> {
    const { attach, said, hub, syncing } = this.parts;
    const { text, base, asked, params, filter } = attachment;
    const modes = asked & grantedModes(connection.principal.capability, base);
    if (modes === attachment.modes) return;
    if (modes === 0) return attach.failed(connection, text, new CompatError(40_160, NOT_GRANTED));
    connection.attachments.set(text, { ...attachment, modes });
    if ((attachment.modes & MODE.PRESENCE) !== 0) await said.membersSettle(connection, base);
    const channel = connection.subscriptions.get(base)?.channel;
    if (channel === undefined) return;
    const position = await hub.replays.standing(channel);
    channel.renew(connection, attach.codecOf(connection, { text, base, modes, params, filter }));
    const missed = { position, isProven: true, error: null };
    // A connection that gains the presence mode needs a sync of the members.
    const isTold = (modes & ~attachment.modes & MODE.PRESENCE_SUBSCRIBE) !== 0;
    const view = isTold ? await syncing.look(connection, base) : null;
    const hasMembers = view !== null && view.members.length > 0;
    const has = { members: hasMembers, backlog: false };
    said.say(connection, attachedFrame({ text, modes, params }, missed, has));
    if (hasMembers) syncing.show(connection, { base, text }, view);
  }
}
