import type { OrdinaryChannel } from '@carillon/channels';
import { PresenceUnavailable, type JoinOutcome, type Presence } from '@carillon/presence';
import type { AttachPoint, PresenceMember, Rewind } from '@carillon/protocol';
import type { LoopShare } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { ChannelBook } from '../channels/channel-book.js';
import { Gate } from '../channels/gate.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Codec } from '../codec.js';
import type { Outlet } from '../delivery/outlet.js';
import type { Leaving } from '../leave/leaving.js';
import type { Looks } from '../state/looks.js';
import type { Attached, Positions } from '../recovery/positions.js';
import { isBrought } from '../patterns/placing.js';
import type { Rewinds } from '../recovery/rewinds.js';
import type { Recovery, Resumes } from '../recovery/resumes.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import type { Identities } from '../users/identities.js';
import type { NewestEvents } from './newest-event.js';
import { whilePresenceIsAway } from './patience.js';
import { Showing } from './showing.js';

/** What joining works with. */
export interface JoinsParts {
  readonly book: ChannelBook;
  readonly outlet: Outlet;
  readonly share: LoopShare;
  readonly presence: Presence;
  readonly newestEvents: Pick<NewestEvents, 'read'>;
  readonly webhooks: WebhookEvents;
  readonly identities: Identities;
  readonly leaving: Leaving;
  readonly looks: Pick<Looks, 'shown'>;
  readonly positions: Pick<Positions, 'attach' | 'has'>;
  readonly resumes: Pick<Resumes, 'recover' | 'subscribed'>;
  readonly rewinds: Pick<Rewinds, 'rewind'>;
  /** How long a member waits for a store that is away. */
  readonly joinWithinMs: number;
  /** Channels one subscriber may have, those it is about to have included. */
  readonly maxSubscriptions: number;
  /** Told why something could not be asked of a store or a broker. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A subscribe that its edge has let through. */
export interface JoinRequest {
  readonly subscriber: Subscriber;
  readonly channel: OrdinaryChannel;
  /** Whom it joins as; null on a channel without members. */
  readonly member: PresenceMember | null;
  /** What it gets of this channel is said with. */
  readonly codec: Codec;
  /** What of the past it begins with. Absent: nothing; nothing is either where the channel has no history. */
  readonly rewind?: Rewind | null;
  /** Called once, instead of `subscribed`, when it comes to nothing. */
  readonly refused: (why: JoinRefusal) => void;
  /** Shows what comes between `subscribed` and a last event; never rejects. Absent: nothing does. */
  readonly beforeLive?: () => Promise<void>;
  /**
   * Awaited when it has joined, before `subscribed`; live events are held back meanwhile. Absent: `subscribed` follows
   * immediately. Never rejects.
   */
  readonly turn?: (attach: AttachPoint | null) => Promise<void>;
  /**
   * Returns the position from which the subscription resumes, once it is known where the channel stands. A resumed subscription
   * gets neither a rewind nor a last event. Null or absent: it does not resume.
   */
  readonly recovery?: (attach: AttachPoint | null) => Recovery | null;
  /** Tells what follows `subscribed` and the past, before a last event. Absent: nothing. Not asked where `show` is given. */
  readonly settled?: () => void;
  /**
   * Shows everything that comes before live events, instead of `subscribed` and a last event; what is told meanwhile waits.
   * Absent: nothing but those two is shown.
   */
  readonly show?: (showing: Showing) => Promise<void>;
  /** How long it may take to be told where the channel stands. Absent: as long as is usual. */
  readonly attachWithinMs?: number;
  /** False: whoever asked has given up, and it comes to nothing without a word. Absent: nobody gives up. */
  readonly isWanted?: () => boolean;
}

/**
 * Why nobody joined: the subscriber has the channel as somebody else, or as many channels as it may have; as many members
 * as may be are there; whom has to be asked cannot be reached; or it cannot be told where the channel stands.
 */
export type JoinRefusal = 'full' | 'no_position' | 'other_member' | 'too_many' | 'unreachable';

const NOTHING_TOLD: ReadonlySet<string> = new Set();

const NO_SLOT = (): void => undefined;

interface Joining extends JoinRequest {
  readonly local: LocalChannel;
  /** It has the channel already, though maybe not this view of it: nothing is counted or told to others, all the rest is done. */
  readonly isRepeated: boolean;
  /** Whether it is told where the channel stands. */
  readonly isPlaced: boolean;
  /** Ends the slot of the join; called once the subscription counts itself. */
  readonly entered: () => void;
}

/**
 * Lets subscribers into channels: ask other processes where needed, join, tell `subscribed` and what is kept of a cache
 * channel, then live events; nothing is missed between, and nothing comes twice.
 */
export class Joins {
  constructor(private readonly parts: JoinsParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
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

  /** With live events held back until everything that comes before them is sent. */
  async #joinLater(joining: Joining): Promise<void> {
    const { subscriber, local, codec } = joining;
    const { book, outlet, onTrouble } = this.parts;
    const gate = new Gate(subscriber, outlet, codec);
    local.openings += 1;
    try {
      await this.#joinHeld(joining, gate);
    } catch (error) {
      onTrouble('subscribe', error);
      // Clients do not ask again after a refusal, but come back after a close, and then ask for all their channels.
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

  async #joinHeld(joining: Joining, gate: Gate): Promise<void> {
    const { subscriber, local, member, isRepeated, codec } = joining;
    const { book, outlet, identities, leaving, looks } = this.parts;
    // Who came before a member did is among those it is shown: to be told of again would be wrong.
    if (member === null) local.hold(gate);
    await local.interest;
    if (member !== null) local.hold(gate);
    await gate.catchUp();
    // Of a channel that it has already, what waits from now on comes after this point.
    const { attachWithinMs } = joining;
    const attaching = joining.isPlaced ? this.parts.positions.attach(local, attachWithinMs) : null;
    attaching?.catch(() => undefined);
    const outcome = member === null ? null : await this.#joinMembers(joining, member);
    if (outcome?.kind === 'full') return joining.refused('full');
    if (!subscriber.isOpen) {
      // It went while it was being let in: its leaving could not know of this membership.
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
      // What is sent to the user after the success frame must come here.
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
    // A position that came before waits for exactly this: what it missed is older than everything else that is shown.
    const missed = await this.#recover(joining, gate, attach);
    await joining.beforeLive?.();
    const told = new Set([...missed, ...(await this.#rewind(joining, gate, attach))]);
    joining.settled?.();
    if (local.about.traits.keepsLastEvent) await this.#showLastEvent(joining, gate, told);
  }

  /** A resume that fails goes on as a fresh subscription. */
  async #resume(joining: Joining, gate: Gate, attach: Attached | null, recovery: Recovery): Promise<void> {
    const { subscriber, local, codec } = joining;
    await joining.beforeLive?.();
    const isRecovered = await this.parts.resumes.recover(subscriber, local, gate, codec, recovery);
    const told = isRecovered ? NOTHING_TOLD : await this.#rewind(joining, gate, attach);
    joining.settled?.();
    if (!isRecovered && local.about.traits.keepsLastEvent) await this.#showLastEvent(joining, gate, told);
  }

  /** The ids of the messages that were told. */
  async #recover(
    { subscriber, local, codec }: Joining,
    gate: Gate,
    attach: Attached | null,
  ): Promise<ReadonlySet<string>> {
    if (attach === null) return NOTHING_TOLD;
    return this.parts.resumes.subscribed(subscriber, local, gate, codec);
  }

  /** The ids of the messages of the past that were told. */
  async #rewind(
    { subscriber, local, codec, rewind: wish = null }: Joining,
    gate: Gate,
    attach: Attached | null,
  ): Promise<ReadonlySet<string>> {
    const attachSerial = attach?.attachSerial ?? null;
    if (wish === null || attachSerial === null) return NOTHING_TOLD;
    return this.parts.rewinds.rewind({ subscriber, local, codec, gate, wish, attachSerial });
  }

  /** Where the subscription begins; what waits is newer. Undefined: that cannot be told, and unless it shows, it came to nothing. */
  async #attach(
    joining: Joining,
    gate: Gate,
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
      // It may have joined all the same, with only the answer lost.
      if (!isRepeated || !subscriber.isOpen) await leaving.member(subscriber, local.name, member.userId);
      throw error;
    }
  }

  /** An event that was published meanwhile is shown in its place. A store that cannot be read is a miss. */
  async #showLastEvent(
    { subscriber, local, codec }: Joining,
    gate: Gate,
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
