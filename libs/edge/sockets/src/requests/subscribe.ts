import type { Channels } from '@carillon/channels';
import type { JoinOutcome, Presence } from '@carillon/presence';
import {
  cacheMiss,
  presenceSubscriptionSucceeded,
  subscriptionError,
  subscriptionSucceeded,
  type PresenceMember,
  type SubscribeFrame,
} from '@carillon/protocol';
import type { LastEvents } from '@carillon/publishing';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Connection } from '../connection/connection.js';
import { Gate } from '../delivery/gate.js';
import type { Outlet } from '../delivery/outlet.js';
import type { ChannelBook } from '../hub/channel-book.js';
import type { LocalChannel } from '../hub/local-channel.js';
import type { Looks } from '../hub/looks.js';
import type { Leaving } from '../leave/leaving.js';
import type { Identities } from '../users/identities.js';
import { failure, subscribeVerdict, type SubscribeFailure } from './subscribe-verdict.js';

/** What subscribing works with. */
export interface SubscribeParts {
  readonly channels: Channels;
  readonly book: ChannelBook;
  readonly outlet: Outlet;
  readonly presence: Presence;
  readonly lastEvents: LastEvents;
  readonly webhooks: WebhookEvents;
  readonly identities: Identities;
  readonly leaving: Leaving;
  readonly looks: Pick<Looks, 'shown'>;
  /** Told why something could not be asked of a store or a broker. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A subscribe that has passed every check of this process. */
interface Joining {
  readonly connection: Connection;
  readonly channel: LocalChannel;
  readonly member: PresenceMember | null;
  /** It has the channel already: nothing is counted or told to others, all the rest is done again. */
  readonly isRepeated: boolean;
}

/** Lets connections into channels: judge, ask other processes where needed, join, answer in the fixed order. */
export class Subscribe {
  constructor(private readonly parts: SubscribeParts) {}

  /** Undefined when it was done at once; the promise never rejects. */
  handle(connection: Connection, frame: SubscribeFrame): Promise<void> | undefined {
    const verdict = subscribeVerdict(connection, frame, this.parts.channels);
    if (verdict.kind === 'accepted') return this.#join(connection, verdict);
    if (verdict.kind === 'refused') this.refuse(connection, frame.channel, verdict);
    else this.parts.outlet.send(connection, subscriptionSucceeded(frame.channel));
    return undefined;
  }

  /** The two frames of a failure: the first for every client, the second for the channel's own error handlers. */
  refuse(connection: Connection, channel: string, { error, status }: SubscribeFailure): void {
    this.parts.outlet.error(connection, error);
    this.parts.outlet.send(connection, subscriptionError(channel, error, status));
  }

  #join(
    connection: Connection,
    { channel: about, member }: { channel: LocalChannel['about']; member: PresenceMember | null },
  ): Promise<void> | undefined {
    const { book, outlet } = this.parts;
    const before = connection.subscriptions.get(about.name);
    if (before !== undefined && before.userId !== (member?.userId ?? null)) {
      this.refuse(
        connection,
        about.name,
        failure('forbidden', 403, about.name, 'user_id must stay the same'),
      );
      return undefined;
    }
    const channel = book.open(connection.hub, about);
    const joining: Joining = { connection, channel, member, isRepeated: before !== undefined };
    if (member !== null || about.traits.keepsLastEvent || channel.interest !== undefined) {
      return this.#joinLater(joining);
    }
    if (!joining.isRepeated) {
      book.enter(connection, channel, null);
      channel.open(connection);
    }
    outlet.send(connection, subscriptionSucceeded(channel.name));
    return undefined;
  }

  /** With live events held back until everything that comes before them is sent. */
  async #joinLater(joining: Joining): Promise<void> {
    const { connection, channel } = joining;
    const { book, outlet, onTrouble } = this.parts;
    const gate = new Gate(connection, outlet);
    channel.openings += 1;
    try {
      const refusal = await this.#joinHeld(joining, gate);
      if (refusal !== null) this.refuse(connection, channel.name, refusal);
    } catch (error) {
      onTrouble('subscribe', error);
      const why = failure('backpressure', 503, channel.name, 'The channel cannot be joined now, retry');
      this.refuse(connection, channel.name, why);
    } finally {
      channel.openings -= 1;
      channel.release(gate);
      book.settle(channel);
    }
  }

  async #joinHeld(joining: Joining, gate: Gate): Promise<SubscribeFailure | null> {
    const { connection, channel, member, isRepeated } = joining;
    const { book, outlet, identities, leaving, looks } = this.parts;
    // Who came before a member did is among those it is shown: to be told of again would be wrong.
    if (member === null) channel.hold(gate);
    await channel.interest;
    if (member !== null) channel.hold(gate);
    const outcome = member === null ? null : await this.#joinMembers(joining, member);
    if (outcome?.kind === 'full') return failure('presence_full', 503, channel.name);
    if (!connection.isOpen) {
      // It went while it was being let in: its leaving could not know of this membership.
      if (member !== null) await leaving.member(connection, channel.name, member.userId);
      return null;
    }
    if (outcome !== null) looks.shown(channel, gate, outcome);
    if (!isRepeated) book.enter(connection, channel, member?.userId ?? null);
    if (member !== null) {
      // What is sent to the user after the success frame must come here.
      const attempt = identities.joinedAs(connection, member.userId);
      if (attempt !== undefined) await attempt;
    }
    outlet.send(
      connection,
      outcome === null
        ? subscriptionSucceeded(channel.name)
        : presenceSubscriptionSucceeded(channel.name, outcome.members),
    );
    if (channel.about.traits.keepsLastEvent) await this.#showLastEvent(connection, channel, gate);
    return null;
  }

  async #joinMembers(
    { connection, channel, isRepeated }: Joining,
    member: PresenceMember,
  ): Promise<JoinOutcome> {
    const { presence, leaving } = this.parts;
    const { hub } = connection;
    const limit = isRepeated ? Infinity : hub.app.limits.maxPresenceMembersPerChannel;
    const place = { appId: hub.appId, channel: channel.name, socketId: connection.id };
    try {
      return await presence.join({ ...place, ...member }, limit);
    } catch (error) {
      // It may have joined all the same, with only the answer lost.
      if (!isRepeated || !connection.isOpen) await leaving.member(connection, channel.name, member.userId);
      throw error;
    }
  }

  /** An event that was published meanwhile is shown in its place. A store that cannot be read is a miss. */
  async #showLastEvent(connection: Connection, { hub, name }: LocalChannel, gate: Gate): Promise<void> {
    const { lastEvents, webhooks, outlet, onTrouble } = this.parts;
    const last = await lastEvents.read(hub.appId, name).catch((error: unknown) => {
      onTrouble('last event', error);
      return null;
    });
    if (last === null) {
      outlet.send(connection, cacheMiss(name));
      webhooks.emit(hub.app, { name: 'cache_miss', channel: name, data: '{}' });
    } else if (!gate.has(last.messageId))
      outlet.send(connection, { event: last.event, channel: name, dataText: last.dataText });
  }
}
