import {
  CompatError,
  type CompatCore,
  inFormat,
  isObject,
  type JsonObject,
  memberOf,
  readChannelName,
} from '@carillon/compat-core';
import type { OrdinaryChannel } from '@carillon/channels';
import type { Hub } from '@carillon/hub';
import type { Presence } from '@carillon/presence';
import type { CompatCodec, Codecs } from './codec.js';
import type { CompatConnection } from './connection.js';
import type { Continuity, Missed } from './continuity.js';
import { ACTION, askedModes, FLAG, grantedModes, MODE, modesOf } from './flags.js';
import type { Said } from './said.js';

const MAX_CHANNELS = 200;
const SYNC_CHUNK = 100;
const PRESENT = 1;

/** What attaching works with. */
export interface AttachParts {
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly presence: Presence;
  readonly continuity: Continuity;
  readonly codecs: Codecs;
  readonly said: Said;
}

interface Attaching {
  readonly connection: CompatConnection;
  readonly channel: OrdinaryChannel;
  readonly text: string;
  readonly modes: number;
  readonly params: Readonly<Record<string, string>>;
  readonly channelSerial: string | null;
  readonly codec: CompatCodec;
}

/** Lets connections have channels. */
export class Attach {
  constructor(private readonly parts: AttachParts) {}

  /** Never rejects with what the client did wrong: that it is told. */
  async handle(connection: CompatConnection, frame: JsonObject): Promise<void> {
    try {
      await this.#join(this.#judge(connection, frame));
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      await this.failed(connection, frame['channel'], error);
    }
  }

  /** The channel is not attached any more, and the client is told why. */
  async failed(connection: CompatConnection, text: unknown, error: CompatError): Promise<void> {
    this.parts.said.say(connection, { action: ACTION.error, channel: text, error: error.body });
    if (typeof text === 'string') await this.leave(connection, text);
  }

  /** Takes a connection out of the channel of this text, with its members. */
  async leave(connection: CompatConnection, text: string): Promise<void> {
    const base = text.startsWith('[') ? text.slice(text.indexOf(']') + 1) : text;
    connection.attachments.delete(base);
    const subscription = connection.subscriptions.get(base);
    if (subscription !== undefined) await this.parts.hub.leaving.channel(connection, subscription);
    await this.parts.said.membersLeave(connection, base, 0);
  }

  #judge(connection: CompatConnection, frame: JsonObject): Attaching {
    const { core, codecs } = this.parts;
    const { principal, attachments, manner } = connection;
    const name = readChannelName(frame['channel']);
    const params = { ...name.params, ...readParams(frame['params']) };
    const modes = modesFor(frame, params) & grantedModes(principal.capability, name.base);
    if (modes === 0) throw new CompatError(40_160, 'operation not permitted with provided capability');
    if (attachments.size >= MAX_CHANNELS && !attachments.has(name.base))
      throw new CompatError(90_010, 'too many channels');
    const { channelSerial } = frame;
    const channelText = name.text === name.base ? null : name.text;
    return {
      connection,
      channel: core.channel(principal.app, name.base),
      text: name.text,
      modes,
      params,
      channelSerial: typeof channelSerial === 'string' ? channelSerial : null,
      codec: codecs.of({ format: manner.format, channelText, modes }),
    };
  }

  async #join(attaching: Attaching): Promise<void> {
    const { connection, channel, codec } = attaching;
    const { hub } = this.parts;
    // What differs in how it is told needs another audience.
    const before = connection.subscriptions.get(channel.name);
    if (before !== undefined) await hub.leaving.channel(connection, before);
    let refused = false;
    let wrong: CompatError | null = null;
    await hub.joins.join({
      subscriber: connection,
      channel,
      member: null,
      codec,
      refused: () => {
        refused = true;
      },
      show: async (isHeld) => {
        try {
          await this.#show(attaching, isHeld);
        } catch (error) {
          if (!(error instanceof CompatError)) throw error;
          wrong = error;
        }
      },
    });
    if (wrong !== null) throw wrong as CompatError;
    if (refused) {
      await this.leave(connection, attaching.text);
      const error = new CompatError(50_003, 'the channel cannot be attached now', 500).body;
      this.parts.said.say(connection, { action: ACTION.detached, channel: attaching.text, error });
    }
  }

  /** Everything that comes before live events. */
  async #show(attaching: Attaching, isHeld: (messageId: string) => boolean): Promise<void> {
    const { connection, channel, text, modes, params, channelSerial, codec } = attaching;
    const { presence, continuity, said } = this.parts;
    const place = { appId: connection.hub.appId, channel: channel.name };
    const seesMembers = (modes & MODE.PRESENCE_SUBSCRIBE) !== 0;
    const [missed, view] = await Promise.all([
      continuity.since(place, channel, channelSerial, params),
      seesMembers ? presence.look(place) : null,
    ]);
    connection.attachments.set(channel.name, { text, modes });
    const backlog = missed.messages.filter(({ message }) => !isHeld(message.messageId));
    const hasMembers = view !== null && view.members.length > 0;
    said.say(connection, attachedFrame(attaching, missed, { hasMembers, hasBacklog: backlog.length > 0 }));
    if (hasMembers) {
      const about = { action: PRESENT, serial: view.serial, timestamp: Date.now() };
      this.sync(
        connection,
        text,
        view.members.map((one) => memberOf(channel.name, one, about)),
      );
    }
    if ((modes & MODE.SUBSCRIBE) === 0) return;
    for (const { message, atMs } of backlog) {
      const frame = codec.message(message, atMs);
      if (frame !== null) said.say(connection, frame);
    }
  }

  /** All members once more, where the client asks for them. */
  async resync(connection: CompatConnection, text: unknown): Promise<void> {
    const { base } = readChannelName(text);
    if (!connection.attachments.has(base)) return;
    const view = await this.parts.presence.look({ appId: connection.hub.appId, channel: base });
    const about = { action: 1, serial: view.serial, timestamp: Date.now() };
    this.sync(
      connection,
      String(text),
      view.members.map((one) => memberOf(base, one, about)),
    );
  }

  /** Sends members in chunks; the last one ends with a colon. */
  sync(connection: CompatConnection, channel: string, members: readonly object[]): void {
    const { said } = this.parts;
    const { format } = connection.manner;
    const id = `s${(this.#syncs += 1)}`;
    const chunks = Math.max(1, Math.ceil(members.length / SYNC_CHUNK));
    for (let index = 0; index < chunks; index += 1) {
      const presence = members
        .slice(index * SYNC_CHUNK, (index + 1) * SYNC_CHUNK)
        .map((one) => inFormat(one, format));
      const cursor = index === chunks - 1 ? '' : String(index + 1);
      const serial = chunks === 1 ? {} : { channelSerial: `${id}:${cursor}` };
      said.say(connection, { action: ACTION.sync, channel, ...serial, presence });
    }
  }

  #syncs = 0;
}

function attachedFrame(
  { text, modes, params }: Attaching,
  { position, isProven, error }: Missed,
  { hasMembers, hasBacklog }: { readonly hasMembers: boolean; readonly hasBacklog: boolean },
): object {
  const flags =
    modes |
    (hasMembers ? FLAG.hasPresence : 0) |
    (hasBacklog ? FLAG.hasBacklog : 0) |
    (isProven ? FLAG.resumed : 0);
  return {
    action: ACTION.attached,
    channel: text,
    ...(position === null ? {} : { channelSerial: position }),
    flags,
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(error === null ? {} : { error: error.body }),
  };
}

const KNOWN: ReadonlySet<string> = new Set(['rewind', 'rewindCount', 'delta', 'modes', 'echo']);

function readParams(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new CompatError(40_000, 'params must be an object');
  const params: Record<string, string> = {};
  for (const [name, one] of Object.entries(value)) {
    if (!KNOWN.has(name)) continue;
    if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean')
      throw new CompatError(40_000, `${name} must be a scalar`);
    params[name] = String(one);
  }
  return params;
}

function modesFor(frame: JsonObject, params: Readonly<Record<string, string>>): number {
  const { flags } = frame;
  const list = params['modes'];
  if (list === undefined) return askedModes(typeof flags === 'number' ? flags : 0);
  const modes = modesOf(list);
  if (modes === null) throw new CompatError(40_000, 'a mode is not known');
  return modes;
}
