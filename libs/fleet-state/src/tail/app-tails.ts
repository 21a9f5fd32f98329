import { ERRORS } from '@carillon/errors';
import type {
  AcceptedMessage,
  AppTap,
  Arrived,
  ClosedAs,
  Frame,
  Frames,
  Refusal,
  Subscriber,
  Topic,
} from '@carillon/realtime';
import type { Fact, Message } from '@carillon/protocol';
import { messageFields } from './message-fields.js';
import type { NodeTail, TraceFields } from './node-tail.js';
import { isSampled } from './sampling.js';
import { shownData } from './trace.js';

type MemberFact = Extract<Fact, { readonly kind: 'member_added' | 'member_removed' | 'member_updated' }>;

const ACTIONS = { member_added: 'added', member_removed: 'removed', member_updated: 'updated' } as const;

/** Facts that have no trace, or are traced elsewhere. */
const UNTRACED: ReadonlySet<Fact['kind']> = new Set(['ping', 'pong']);

const sizeOf = (frame: Frame): number =>
  typeof frame === 'string' ? Buffer.byteLength(frame) : frame.byteLength;

/** The tails of one app on this node: turns what happens to its sockets into traces. */
export class AppTails implements AppTap {
  readonly tails = new Set<NodeTail>();

  connected(subscriber: Subscriber): void {
    for (const tail of this.tails) {
      if (!tail.isOfApp && !tail.selectsConnection(subscriber)) continue;
      const { id: socket_id, address, traits } = subscriber;
      tail.offer('connect', 'in', 0, () => ({ socket_id, protocol: traits.protocol, address }));
    }
  }

  closed(subscriber: Subscriber, { code, cause }: ClosedAs): void {
    for (const tail of this.tails) {
      if (!tail.isOfApp && !tail.selectsConnection(subscriber)) continue;
      const { id: socket_id, endedFor } = subscriber;
      const reason = endedFor === null ? '' : ERRORS[endedFor].text;
      tail.offer('disconnect', 'out', 0, () => ({ socket_id, code, reason, cause }));
    }
  }

  /** Subscriptions of the other protocols are traced with their success frame, in the order that clients see. */
  subscribed(subscriber: Subscriber, channel: string): void {
    if (subscriber.traits.protocol === 'ably') this.#subscribe(subscriber, channel);
  }

  unsubscribed(subscriber: Subscriber, channel: string): void {
    // A connection that has ended is traced once, by its end.
    const hasEnded = subscriber.closedWith !== 0;
    for (const tail of this.tails) {
      const isOfConnection = !hasEnded && tail.selectsConnection(subscriber);
      if (!isOfConnection && !tail.selectsChannel(channel)) continue;
      const { user_id, socket_id } = who(subscriber);
      tail.offer('unsubscribe', 'in', 0, () => ({
        socket_id,
        user_id,
        channel,
        result: 'ok',
        code: null,
        reason: null,
      }));
    }
  }

  delivered({ channel, fact, exceptSocketId }: Arrived, recipients: number): void {
    for (const tail of this.tails) {
      if (!tail.selectsChannel(channel)) continue;
      if (fact.kind === 'message') {
        // Without local subscribers the message only passed through.
        if (recipients > 0) this.#message(tail, fact, exceptSocketId, { recipients });
      } else if (isMember(fact)) this.#presence(tail, fact);
    }
  }

  told(topic: Topic, frames: Frames, except: Subscriber | null): void {
    for (const tail of this.tails) {
      if (!tail.isOfConnections) continue;
      for (const subscriber of this.#selected(tail, topic)) {
        if (subscriber !== except && topic.isOpen(subscriber))
          this.#fact(tail, subscriber, frames.fact, null);
      }
    }
  }

  sent(subscriber: Subscriber, fact: Fact, frame: Frame): void {
    if (UNTRACED.has(fact.kind)) return;
    if (fact.kind === 'subscribed') return this.#subscribe(subscriber, fact.channel);
    for (const tail of this.tails) {
      if (tail.selectsConnection(subscriber)) this.#fact(tail, subscriber, fact, frame);
      else if (fact.kind === 'failed' || fact.kind === 'subscription_failed') {
        if (tail.selectsChannel(fact.channel)) this.#fact(tail, subscriber, fact, frame);
      }
    }
  }

  accepted(subscriber: Subscriber, { channel, event, dataText, messageId }: AcceptedMessage): void {
    for (const tail of this.tails) {
      if (!tail.selectsConnection(subscriber) || !isSampled(messageId, tail.options.sample)) continue;
      tail.offer('message', 'in', dataText?.length ?? 0, () => ({
        channel,
        event,
        message_id: messageId,
        origin: subscriber.traits.protocol === 'ably' ? 'compat' : 'client',
        ...who(subscriber),
        ...shownData(dataText, tail.options),
      }));
    }
  }

  refused(subscriber: Subscriber, { code, reason, channel, isSubscribe }: Refusal): void {
    for (const tail of this.tails) {
      if (!tail.selectsConnection(subscriber) && !tail.selectsChannel(channel)) continue;
      this.#error(tail, subscriber, { code, reason, channel });
      if (isSubscribe && channel !== null)
        this.#refusedSubscribe(tail, subscriber, { code, reason, channel });
    }
  }

  frame(subscriber: Subscriber, direction: 'in' | 'out', event: string, bytes: number): void {
    for (const tail of this.tails)
      if (tail.selectsConnection(subscriber)) tail.offer('frame', direction, 0, () => ({ event, bytes }));
  }

  #selected(tail: NodeTail, topic: Topic): Iterable<Subscriber> {
    const { socket_id: socketId, user_id: userId } = tail.options.target;
    const { hub } = topic;
    if (socketId !== undefined) {
      const subscriber = hub.subscriber(socketId);
      return subscriber !== null && topic.has(subscriber) ? [subscriber] : [];
    }
    if (userId === undefined) return [];
    const all = new Set([...hub.signedIn.of(userId), ...hub.users.of(userId)]);
    return [...all].filter((subscriber) => topic.has(subscriber));
  }

  #subscribe(subscriber: Subscriber, channel: string): void {
    for (const tail of this.tails) {
      if (!tail.selectsConnection(subscriber) && !tail.selectsChannel(channel)) continue;
      const ok = { channel, result: 'ok', code: null, reason: null };
      tail.offer('subscribe', 'in', 0, () => ({ ...who(subscriber), ...ok }));
    }
  }

  /** A fact sent to a selected connection, alone (`frame` is not null) or with others. */
  #fact(tail: NodeTail, subscriber: Subscriber, fact: Fact, frame: Frame | null): void {
    if (fact.kind === 'message') return this.#message(tail, fact, null, {});
    if (isMember(fact)) return this.#presence(tail, fact);
    const { code, message: reason, channel } = 'code' in fact ? fact : NO_ERROR;
    if (fact.kind === 'failed') return this.#error(tail, subscriber, { code, reason, channel });
    if (fact.kind === 'subscription_failed' && fact.reason === undefined)
      return this.#refusedSubscribe(tail, subscriber, { code, reason, channel });
    if (fact.kind === 'subscription_failed') return this.#error(tail, subscriber, { code, reason, channel });
    tail.offer('frame', 'out', 0, () => ({ event: fact.kind, bytes: frame === null ? 0 : sizeOf(frame) }));
  }

  #message(tail: NodeTail, message: Message, socketId: string | null, more: TraceFields): void {
    if (!isSampled(message.messageId, tail.options.sample)) return;
    tail.offer('message', 'out', message.dataText?.length ?? 0, () => ({
      ...messageFields(message, socketId),
      ...shownData(message.dataText, tail.options),
      ...more,
    }));
  }

  #presence(tail: NodeTail, fact: MemberFact): void {
    const user_id = fact.kind === 'member_removed' ? fact.userId : fact.member.userId;
    tail.offer('presence', 'out', 0, () => ({ channel: fact.channel, action: ACTIONS[fact.kind], user_id }));
  }

  #error(tail: NodeTail, { id: socket_id }: Subscriber, { code, reason, channel }: ErrorFields): void {
    tail.offer('error', 'out', 0, () => ({ socket_id, code, reason, channel }));
  }

  #refusedSubscribe(tail: NodeTail, subscriber: Subscriber, { code, reason, channel }: ErrorFields): void {
    tail.offer('subscribe', 'in', 0, () => ({
      ...who(subscriber),
      channel,
      result: 'refused',
      code,
      reason,
    }));
  }
}

type ErrorFields = Omit<Refusal, 'isSubscribe'>;

const NO_ERROR = { code: 0, message: '', channel: null } as const;

const isMember = (fact: Fact): fact is MemberFact => fact.kind in ACTIONS;

const who = (subscriber: Subscriber): { readonly socket_id: string; readonly user_id: string | null } => ({
  socket_id: subscriber.id,
  user_id: subscriber.traits.userId ?? subscriber.presenceUserId,
});
