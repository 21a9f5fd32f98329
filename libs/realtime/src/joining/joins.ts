import type { OrdinaryChannel } from '@carillon/channels';
import { PresenceUnavailable, type JoinOutcome, type Presence } from '@carillon/presence';
import type { AttachPoint, PresenceMember, Rewind } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { ChannelBook } from '../channels/channel-book.js';
import { PendingFrames } from '../channels/pending-frames.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Codec } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Leaving } from '../leave/leaving.js';
import type { PresenceResync } from '../state/presence-resync.js';
import type { Attached, Positions } from '../recovery/positions.js';
import { isBrought } from '../patterns/placing.js';
import type { Rewinds } from '../recovery/rewinds.js';
import type { Recovery, Resumes } from '../recovery/resumes.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Identities } from '../users/identities.js';
import type { NewestEvents } from './newest-event.js';
import { whilePresenceIsAway } from './patience.js';
import { Showing } from './showing.js';

/** Dependencies of `Joins`. */
export interface JoinsParts {
  readonly book: ChannelBook;
  readonly outlet: Outlet;
  readonly share: LoopShare;
  readonly presence: Presence;
  readonly newestEvents: Pick<NewestEvents, 'read'>;
  readonly webhooks: WebhookEvents;
  readonly identities: Identities;
  readonly leaving: Leaving;
  readonly looks: Pick<PresenceResync, 'shown'>;
  readonly positions: Pick<Positions, 'attach' | 'has'>;
  readonly resumes: Pick<Resumes, 'recover' | 'subscribed'>;
  readonly rewinds: Pick<Rewinds, 'rewind'>;
  /** Time a member waits for an unavailable presence store. */
  readonly joinWithinMs: number;
  /** Limit of channels per subscriber, including pending ones. */
  readonly maxSubscriptions: number;
  /** Notified of failed requests to a store or a broker. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A subscribe request that its protocol adapter has authorized. */
export interface JoinRequest {
  readonly subscriber: Subscriber;
  readonly channel: OrdinaryChannel;
  /** The member it joins as; null on a channel without members. */
  readonly member: PresenceMember | null;
  /** Codec of its frames for this channel. */
  readonly codec: Codec;
  /** Channel history to start with. Absent: none; a channel without a history has none either. */
  readonly rewind?: Rewind | null;
  /** Called once, instead of `subscribed`, when the join fails. */
  readonly refused: (why: JoinRefusal) => void;
  /** Sends what comes between `subscribed` and a last event; never rejects. Absent: nothing. */
  readonly beforeLive?: () => Promise<void>;
  /**
   * Awaited when it has joined, before `subscribed`; live events are held back meanwhile. Absent: `subscribed` follows
   * immediately. Never rejects.
   */
  readonly turn?: (attach: AttachPoint | null) => Promise<void>;
  /**
   * Returns the position from which the subscription resumes, given the position of the channel. A resumed
   * subscription receives neither a rewind nor a last event. Null or absent: it does not resume.
   */
  readonly recovery?: (attach: AttachPoint | null) => Recovery | null;
  /**
   * Sends what follows `subscribed` and the history, before a last event. Absent: nothing. Not called if `show` is
   * given.
   */
  readonly settled?: () => void;
  /**
   * Sends everything that precedes live events, instead of `subscribed` and a last event; live events are held
   * meanwhile. Absent: only those two are sent.
   */
  readonly show?: (showing: Showing) => Promise<void>;
  /** Timeout for the channel position. Absent: the default. */
  readonly attachWithinMs?: number;
  /** False if the requester has given up: the join is abandoned silently. Absent: never. */
  readonly isWanted?: () => boolean;
}

/**
 * Why a join failed: `other_member`: the subscriber is already a member under another user id; `too_many`: its
 * channel limit is reached; `full`: the member limit of the channel is reached; `unreachable`: a required store or
 * broker is unavailable; `no_position`: the channel position is unavailable.
 */
export type JoinRefusal = 'full' | 'no_position' | 'other_member' | 'too_many' | 'unreachable';

const NOTHING_TOLD: ReadonlySet<string> = new Set();

const NO_SLOT = (): void => undefined;

interface Joining extends JoinRequest {
  readonly local: LocalChannel;
  /**
   * The subscriber is subscribed already, though possibly not to this view: nothing is counted or announced, all
   * other steps run.
   */
  readonly isRepeated: boolean;
  /** Whether the subscriber receives the position of the channel. */
  readonly isPlaced: boolean;
  /** Ends the slot of the join; called once the subscription counts itself. */
  readonly entered: () => void;
}

/**
 * Subscribes subscribers to channels: requests other processes where needed, joins, sends `subscribed` and the cached
 * event of a cache channel, then live events. No event in between is lost or duplicated.
 */
export class Joins {
  constructor(private readonly parts: JoinsParts) {}

  /** Returns undefined if it completed synchronously; the promise never rejects. */
  join(request: JoinRequest): Promise<void> | undefined {
    const { subscriber, channel, member, codec } = request;
    const { book, outlet } = this.parts;
    const before = subscriber.subscriptions.get(channel.name);
    if (before !== undefined && before.userId !== (member?.userId ?? null)) {
      request.refused('other_member');
      return undefined;
    }
    if (before === undefined && subscriber.slots >= this.parts.maxSubscriptions) {
      request.refused('too_many');
      return undefined;
    }
    const local = book.open(subscriber.hub, channel);
    const isRepeated = before !== undefined;
    const isShown =
      request.show !== undefined ||
      request.beforeLive !== undefined ||
      request.turn !== undefined ||
      channel.traits.keepsLastEvent;
    const isPlaced = subscriber.edge.tellsPositions === true && this.parts.positions.has(local);
    const isUntold = isRepeated && local.untold(subscriber, codec.view).length > 0;
    if (member !== null || isShown || isPlaced || isUntold || local.interest !== undefined)
      return this.#joinLater({
        ...request,
        local,
        isRepeated,
        isPlaced,
        entered: isRepeated ? NO_SLOT : subscriber.claimSlot(),
      });
    if (isRepeated) local.recode(subscriber, codec);
    else book.enter(subscriber, local, null, codec);
    outlet.send(subscriber, { kind: 'subscribed', channel: channel.name, members: null });
    request.settled?.();
    local.open(subscriber, codec.view);
    return undefined;
  }

  /** Joins while live events are held until everything that precedes them is sent. */
  async #joinLater(joining: Joining): Promise<void> {
    const { subscriber, local, codec } = joining;
    const { book, outlet, onTrouble } = this.parts;
    const gate = new PendingFrames(subscriber, outlet, codec);
    local.openings += 1;
    try {
      await this.#joinHeld(joining, gate);
    } catch (error) {
      onTrouble('subscribe', error);
      // Clients do not retry after a refusal, but after a close they reconnect and subscribe to all their channels.
      if (error instanceof PresenceUnavailable) return outlet.close(subscriber, 'presence_away');
      joining.refused('unreachable');
    } finally {
      local.openings -= 1;
      joining.entered();
      if (joining.isWanted?.() === false) local.forget(gate);
      else await local.release(gate);
      book.settle(local);
    }
  }

  async #joinHeld(joining: Joining, gate: PendingFrames): Promise<void> {
    const { subscriber, local, member, isRepeated, codec } = joining;
    const { book, outlet, identities, leaving, looks } = this.parts;
    // Members that joined earlier are in the member list it receives: reporting them again would be wrong.
    if (member === null) local.hold(gate);
    await local.interest;
    if (member !== null) local.hold(gate);
    await gate.catchUp();
    // If it is subscribed already, events held from now on come after this point.
    const { attachWithinMs } = joining;
    const attaching = joining.isPlaced ? this.parts.positions.attach(local, attachWithinMs) : null;
    attaching?.catch(() => undefined);
    const outcome = member === null ? null : await this.#joinMembers(joining, member);
    if (outcome?.kind === 'full') return joining.refused('full');
    if (!subscriber.isOpen) {
      // It was closed during the join: its cleanup could not know of this membership.
      if (member !== null) await leaving.member(subscriber, local.name, member.userId);
      return;
    }
    if (outcome !== null) looks.shown(local, gate, outcome);
    const attach = attaching === null ? null : await this.#attach(joining, gate, attaching);
    if (!isRepeated && subscriber.patterns !== null)
      await gate.dropInTurn((frames) => isBrought(subscriber, local.about, frames));
    const isUnwanted = joining.isWanted?.() === false;
    if (isUnwanted || (attach === undefined && joining.show === undefined)) return;
    if (isRepeated) local.recode(subscriber, codec);
    else {
      book.enter(subscriber, local, member?.userId ?? null, codec);
      joining.entered();
    }
    if (member !== null) {
      // Events sent to the user after the success frame must reach this process.
      const attempt = identities.joinedAs(subscriber, member.userId);
      if (attempt !== undefined) await attempt;
    }
    if (joining.show !== undefined) return joining.show(new Showing(this.parts, local, gate, attach));
    if (attach === undefined) return;
    await joining.turn?.(attach);
    if (!subscriber.isOpen) return;
    const members = outcome === null ? null : outcome.members;
    outlet.send(subscriber, { kind: 'subscribed', channel: local.name, members, attach });
    const recovery = joining.recovery?.(attach) ?? null;
    if (recovery !== null) return this.#resume(joining, gate, attach, recovery);
    // A position sent earlier waits for this subscription: the missed messages are older than everything else that is
    // sent.
    const missed = await this.#recover(joining, gate, attach);
    await joining.beforeLive?.();
    const told = new Set([...missed, ...(await this.#rewind(joining, gate, attach))]);
    joining.settled?.();
    if (local.about.traits.keepsLastEvent) await this.#showLastEvent(joining, gate, told);
  }

  /** A failed resume continues as a fresh subscription. */
  async #resume(
    joining: Joining,
    gate: PendingFrames,
    attach: Attached | null,
    recovery: Recovery,
  ): Promise<void> {
    const { subscriber, local, codec } = joining;
    await joining.beforeLive?.();
    const isRecovered = await this.parts.resumes.recover(subscriber, local, gate, codec, recovery);
    const told = isRecovered ? NOTHING_TOLD : await this.#rewind(joining, gate, attach);
    joining.settled?.();
    if (!isRecovered && local.about.traits.keepsLastEvent) await this.#showLastEvent(joining, gate, told);
  }

  /** Returns the ids of the sent messages. */
  async #recover(
    { subscriber, local, codec }: Joining,
    gate: PendingFrames,
    attach: Attached | null,
  ): Promise<ReadonlySet<string>> {
    if (attach === null) return NOTHING_TOLD;
    return this.parts.resumes.subscribed(subscriber, local, gate, codec);
  }

  /** Returns the ids of the sent historical messages. */
  async #rewind(
    { subscriber, local, codec, rewind: wish = null }: Joining,
    gate: PendingFrames,
    attach: Attached | null,
  ): Promise<ReadonlySet<string>> {
    const attachSerial = attach?.attachSerial ?? null;
    if (wish === null || attachSerial === null) return NOTHING_TOLD;
    return this.parts.rewinds.rewind({ subscriber, local, codec, gate, wish, attachSerial });
  }

  /**
   * Returns the position at which the subscription begins; held events are newer. Undefined if it is unavailable; the
   * join then failed, unless it has `show`.
   */
  async #attach(
    joining: Joining,
    gate: PendingFrames,
    attaching: Promise<Attached | null>,
  ): Promise<Attached | null | undefined> {
    const { subscriber, local, member, isRepeated } = joining;
    const { leaving, onTrouble } = this.parts;
    try {
      const attach = await attaching;
      if (attach !== null && attach.standing !== null) gate.covered(attach.standing);
      subscriber.attached(local.name, attach);
      return attach;
    } catch (error) {
      onTrouble('where a channel stands', error);
      if (joining.show !== undefined) return undefined;
      if (member !== null && !isRepeated) await leaving.member(subscriber, local.name, member.userId);
      joining.refused('no_position');
      return undefined;
    }
  }

  async #joinMembers(
    { subscriber, local, isRepeated }: Joining,
    member: PresenceMember,
  ): Promise<JoinOutcome> {
    const { presence, leaving, joinWithinMs: withinMs } = this.parts;
    const { hub } = subscriber;
    const limit = isRepeated ? Infinity : hub.app.limits.maxPresenceMembersPerChannel;
    const place = { appId: hub.appId, channel: local.name, socketId: subscriber.id };
    const join = (): Promise<JoinOutcome> => presence.join({ ...place, ...member }, limit);
    try {
      return await whilePresenceIsAway(join, { isWanted: () => subscriber.isOpen, withinMs });
    } catch (error) {
      // The join may have succeeded with only the response lost.
      if (!isRepeated || !subscriber.isOpen) await leaving.member(subscriber, local.name, member.userId);
      throw error;
    }
  }

  /** An event published meanwhile is sent in order. A store that cannot be read counts as a miss. */
  async #showLastEvent(
    { subscriber, local, codec }: Joining,
    gate: PendingFrames,
    told: ReadonlySet<string>,
  ): Promise<void> {
    const { newestEvents, webhooks, outlet, share } = this.parts;
    const { hub, name } = local;
    const last = await newestEvents.read(local);
    if (last === null) {
      outlet.send(subscriber, { kind: 'cache_missed', channel: name });
      webhooks.emit(hub.app, { name: 'cache_miss', channel: name, data: '{}' });
      return;
    }
    const turn = share.turn(hub.appId);
    if (turn !== undefined) await turn;
    if (!gate.has(last.messageId) && !told.has(last.messageId))
      share.measure(() => outlet.send(subscriber, last, codec.held ?? codec));
  }
}
