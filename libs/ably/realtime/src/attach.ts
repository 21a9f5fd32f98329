import {
  type CompatCore,
  CompatError,
  connectionOf,
  isDerived,
  type JsonObject,
  readChannelName,
} from '@carillon/ably-core';
import type { Expression } from '@carillon/filter';
import type { Codec, Frames, Hub, Showing } from '@carillon/realtime';
import type { Message } from '@carillon/protocol';
import { type AttachRequest, readAttach } from './attach-request.js';
import { attachedFrame } from './attached.js';
import type { Codecs } from './codecs.js';
import type { CompatConnection } from './connection.js';
import { type Continuity, lostAt } from './continuity.js';
import type { Counted } from './counted.js';
import type { Deltas } from './delta/deltas.js';
import type { DerivedHolds } from './derived-holds.js';
import { ACTION, MODE } from './flags.js';
import type { Position } from './position.js';
import type { FrameWriter } from './frame-writer.js';
import type { Syncing } from './syncing.js';

/** Dependencies of attaching. */
export interface AttachParts {
  readonly core: CompatCore;
  readonly hub: Hub;
  readonly continuity: Continuity;
  readonly codecs: Codecs;
  readonly counted: Counted;
  readonly deltas: Deltas;
  readonly derivedHolds: DerivedHolds;
  readonly said: FrameWriter;
  readonly syncing: Syncing;
  /** The timeout of an attach. */
  readonly withinMs: number;
}

/** The options that select the codec of an attachment. */
interface Described {
  readonly text: string;
  readonly base: string;
  readonly modes: number;
  readonly params: Readonly<Record<string, string>>;
  readonly filter: Expression | null;
}

interface Wanted extends AttachRequest {
  /** It has the channel, and has lost some of it. */
  readonly isLost: boolean;
}

/** One attach under way. */
interface Attaching {
  readonly connection: CompatConnection;
  readonly request: Wanted;
  readonly codec: Codec;
  /**
   * The position up to which it received the channel before; null: it did not, or it discarded what it could not
   * decode.
   */
  readonly told: Position | null;
  /** It took too long. */
  isGivenUp: boolean;
}

/** Whether it is a new message and not a change of one. */
const isNew = ({ action }: Message): boolean => action === 'create' || action === 'plain';

/** Whether a new message is the connection's own and echo is disabled. */
const isUnwanted = (connection: CompatConnection, text: string, { fact }: Frames): boolean =>
  fact.kind === 'message' &&
  isNew(fact) &&
  connectionOf(fact) === connection.id &&
  !connection.edge.echoes(connection, fact, text);

const unavailable = (): CompatError => new CompatError(50_003, 'the channel cannot be attached now', 500);

/** Lets connections have channels. */
export class Attach {
  constructor(private readonly parts: AttachParts) {}

  /** Client errors are sent to the client and never reject the promise. */
  handle(connection: CompatConnection, frame: JsonObject): Promise<void> {
    return this.#try(connection, frame['channel'], () => ({
      ...readAttach(connection, frame, this.parts.core.derivedFilters),
      isLost: false,
    }));
  }

  /** A channel that it has, of which something was lost, is attached once more. Never rejects. */
  async again(connection: CompatConnection, text: string): Promise<void> {
    const attachment = connection.attachments.get(text);
    if (attachment === undefined) return;
    const asked = { name: readChannelName(text), rewind: null, channelSerial: null };
    await this.#try(connection, text, () => ({ ...attachment, ...asked, isLost: true }));
  }

  /** Returns the codec of an attachment. */
  codecOf({ manner, hub }: CompatConnection, { text, base, modes, params, filter }: Described): Codec {
    const { codecs, core, deltas } = this.parts;
    const channelText = text === base ? null : text;
    const full = codecs.of({ format: manner.format, channelText, modes, filter });
    return params['delta'] === undefined ? full : deltas.entry(hub, core.channel(hub.app, base), full);
  }

  /** Detaches the channel and sends the reason to the client. */
  async failed(connection: CompatConnection, text: unknown, error: CompatError): Promise<void> {
    // A client that may retry does not get an error that is final for the channel.
    this.parts.counted.refused(error);
    const action = error.code === 50_003 ? ACTION.detached : ACTION.error;
    this.parts.said.say(connection, { action, channel: text, error: error.body });
    const { tap } = connection.hub;
    if (tap !== null) {
      const channel = typeof text === 'string' ? text : null;
      tap.refused(connection, { code: error.code, reason: error.message, channel, isSubscribe: true });
    }
    if (typeof text === 'string') await this.leave(connection, text);
  }

  /** Takes every view of a channel, and the members, from a connection by order of an operator. */
  async remove(connection: CompatConnection, base: string): Promise<void> {
    const { said } = this.parts;
    const error = new CompatError(40_160, 'Removed by an operator', 403);
    const views = [...connection.attachments.values()].filter((one) => one.base === base);
    // Members leave before the views end, because their leave has another reason.
    await said.membersLeave(connection, base, 0, 'forced_disconnect');
    for (const { text } of views) {
      const { tap } = connection.hub;
      if (tap !== null)
        tap.refused(connection, {
          code: error.code,
          reason: error.message,
          channel: base,
          isSubscribe: false,
        });
      said.say(connection, { action: ACTION.detached, channel: text, error: error.body });
      await this.leave(connection, text);
    }
  }

  /** Takes this view of a channel from a connection, and its members where no other lets it have them. */
  async leave(connection: CompatConnection, text: string): Promise<void> {
    const base = text.startsWith('[') ? text.slice(text.indexOf(']') + 1) : text;
    const { counted, hub, said } = this.parts;
    const { attachments, subscriptions } = connection;
    const isAttached = attachments.delete(text);
    this.parts.derivedHolds.release(connection, text);
    if (isAttached && connection.modesOn(base) === null) counted.detached(connection, base);
    const subscription = subscriptions.get(base);
    if (subscription !== undefined)
      await hub.leaving.view(connection, subscription, text === base ? undefined : text);
    // Members of a channel that it has not reattached since the reconnect must not be removed by another view.
    if (text === base || (isAttached && !isDerived(text))) await said.membersSettle(connection, base);
  }

  async #try(connection: CompatConnection, text: unknown, read: () => Wanted): Promise<void> {
    try {
      const request = read();
      const { name, modes, params, filter } = request;
      this.parts.derivedHolds.hold(connection, name);
      const codec = this.codecOf(connection, { ...name, modes, params, filter });
      await this.#within({
        connection,
        request,
        codec,
        told: this.#toldOf(connection, request),
        isGivenUp: false,
      });
    } catch (error) {
      if (!(error instanceof CompatError)) throw error;
      await this.failed(connection, text, error);
    }
  }

  /**
   * Live events are held back from the same turn of the event loop on, so that exactly the events up to this position
   * are in flight. A client with deltas that repeats the same request failed to decode one. It discarded the
   * following messages, which are resent from its position. A client with a different request continues to decode.
   */
  #toldOf(connection: CompatConnection, request: Wanted): Position | null {
    const { attachments, subscriptions } = connection;
    const { name, isLost, wish } = request;
    const before = attachments.get(name.text);
    const channel = subscriptions.get(name.base)?.channel;
    if (isLost || before === undefined || channel === undefined) return null;
    const isUnread = before.params['delta'] !== undefined && before.wish === wish;
    if ((before.modes & MODE.SUBSCRIBE) === 0 || isUnread) return null;
    return this.parts.hub.replays.here(channel);
  }

  /** Aborts an attach that exceeds the timeout and ignores its later result. */
  async #within(attaching: Attaching): Promise<void> {
    const { hub, withinMs } = this.parts;
    const { connection, request } = attaching;
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        attaching.isGivenUp = true;
        // The same store may keep this waiting too.
        void this.failed(connection, request.name.text, unavailable()).catch((error: unknown) =>
          hub.onTrouble('an attach that was given up', error),
        );
        resolve();
      }, withinMs);
    });
    const joined = this.#join(attaching);
    try {
      await Promise.race([joined, isOver]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #join(attaching: Attaching): Promise<void> {
    const { connection, request, codec } = attaching;
    const { core, hub, withinMs } = this.parts;
    let wrong: CompatError | null = null;
    await hub.joins.join({
      subscriber: connection,
      channel: core.channel(connection.hub.app, request.name.base),
      member: null,
      codec,
      attachWithinMs: withinMs,
      isWanted: () => !attaching.isGivenUp,
      refused: () => {
        wrong = unavailable();
      },
      show: async (showing) => {
        try {
          await this.#show(attaching, showing);
        } catch (error) {
          if (!(error instanceof CompatError)) throw error;
          wrong = error;
        }
      },
    });
    if (wrong !== null && !attaching.isGivenUp) throw wrong as CompatError;
  }

  /** Sends everything that precedes live events. */
  async #show(attaching: Attaching, showing: Showing): Promise<void> {
    const { connection, request } = attaching;
    const { continuity, counted, said, syncing } = this.parts;
    const { asked: wanted, modes, params, echoes, name, filter, wish, isLost } = request;
    const { text, base } = name;
    const before = connection.attachments.get(text);
    const rewound = isLost && before !== undefined ? before.rewound : JSON.stringify(request.rewind);
    const asked = before?.rewound === rewound ? { ...request, rewind: null } : request;
    const [missed, view] = await Promise.all([
      isLost ? lostAt(showing) : continuity.since(showing, asked, attaching.told),
      (modes & MODE.PRESENCE_SUBSCRIBE) === 0 ? null : showing.members(),
    ]);
    // Its own messages were not delivered live either if echo is disabled.
    const isWanted = (frames: Frames): boolean => !missed.isProven || !isUnwanted(connection, text, frames);
    const past = (modes & MODE.SUBSCRIBE) === 0 ? [] : (await showing.of(missed.past)).filter(isWanted);
    if (attaching.isGivenUp) return;
    if (connection.modesOn(base) === null) counted.attached(connection, base);
    const attachment = { text, base, asked: wanted, modes, params, filter, echoes, rewound, wish };
    connection.attachments.set(text, attachment);
    // A derived view has no members, and the channel itself may be about to be reattached.
    if (filter === null) await said.membersSettle(connection, base);
    const hasMembers = view !== null && view.members.length > 0;
    const has = { members: hasMembers, backlog: past.length > 0 };
    said.say(connection, attachedFrame({ text, modes, params }, missed, has));
    if (hasMembers) syncing.show(connection, { base, text }, view);
    await showing.tell(past);
    for (const frames of past) attaching.codec.told?.(frames, 1, connection.hub.appId);
  }
}
