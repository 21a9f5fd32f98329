import type { Outlet, Subscription } from '@carillon/hub';
import type { Connection } from '../connection/connection.js';
import {
  clientPublishRefusal,
  keptOf,
  type OrdinaryChannel,
  takesClientEvents,
  userLimitRefusal,
  type ChannelRefusal,
  type Channels,
} from '@carillon/channels';
import { isStorable } from '@carillon/contract';
import { ServiceError, type ErrorCode } from '@carillon/errors';
import {
  deliveredExtras,
  type ExtrasRules,
  frameError,
  readExtras,
  type FrameError,
} from '@carillon/protocol';
import type { ClientEvent } from '../connection/speech.js';
import type { Publisher } from '@carillon/publishing';
import { dataOf, type WebhookEvents } from '@carillon/webhooks';

/** What publishing for clients works with. */
export interface ClientEventParts {
  readonly channels: Channels;
  readonly outlet: Outlet;
  readonly publisher: Publisher;
  readonly webhooks: WebhookEvents;
  /** What of `extras` is delivered. */
  readonly extras: ExtrasRules;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Allowed {
  readonly subscription: Subscription;
  /** The channel as its rules are now. */
  readonly about: OrdinaryChannel;
}

type Verdict = { readonly refused: FrameError } | Allowed;

/** Publishes what clients say to the other subscribers of a channel. */
export class ClientEvents {
  constructor(private readonly parts: ClientEventParts) {}

  /** Undefined when it was done at once; the promise never rejects. Rate limits were checked before. */
  handle(connection: Connection, frame: ClientEvent): Promise<void> | undefined {
    const verdict = clientEventVerdict(connection, frame, this.parts.channels);
    if ('refused' in verdict) {
      this.parts.outlet.error(connection, verdict.refused);
      return undefined;
    }
    return this.#publish(connection, frame, verdict);
  }

  #publish(
    connection: Connection,
    frame: ClientEvent,
    { subscription, about }: Allowed,
  ): Promise<void> | undefined {
    const { event, dataText } = frame;
    const { channel, userId } = subscription;
    const { publisher, extras } = this.parts;
    const extrasText = frame.extrasText === null ? null : deliveredExtras(frame.extrasText, extras);
    const isEphemeral = extrasText !== null && isEphemeralText(extrasText);
    const receipt = publisher.publish({
      appId: channel.hub.appId,
      channel: channel.name,
      event,
      dataText,
      userId,
      exceptSocketId: connection.id,
      isFromClient: true,
      messageId: frame.messageId,
      isLastEvent: false,
      ...keptOf(about, isEphemeral),
      tagsText: null,
      extrasText,
      key: null,
    });
    if (receipt instanceof Promise) return this.#answerFor(receipt, connection, frame, subscription);
    if (!isEphemeral) this.#tell(connection, frame, subscription);
    return undefined;
  }

  /** A client hears of its event only when it could not be passed on. */
  async #answerFor(
    receipt: Promise<unknown>,
    connection: Connection,
    frame: ClientEvent,
    subscription: Subscription,
  ): Promise<void> {
    try {
      await receipt;
      this.#tell(connection, frame, subscription);
    } catch (error) {
      const { name: channel } = subscription.channel;
      this.parts.onTrouble('client event', error);
      this.parts.outlet.error(connection, frameError(rowOf(error), { channel }));
    }
  }

  #tell({ id, hub }: Connection, { event, dataText }: ClientEvent, { channel, userId }: Subscription): void {
    const { webhooks } = this.parts;
    if (!webhooks.wants(hub.app, 'client_event')) return;
    webhooks.emit(hub.app, {
      name: 'client_event',
      channel: channel.name,
      event,
      data: dataOf(dataText ?? 'null'),
      socket_id: id,
      ...(userId === null ? {} : { user_id: userId }),
    });
  }
}

const isEphemeralText = (extrasText: string): boolean => {
  const extras = readExtras(extrasText);
  return !('problem' in extras) && extras.ephemeral;
};

/** Any other failure is nothing that the client could do differently. */
const rowOf = (error: unknown): ErrorCode =>
  error instanceof ServiceError && (error.code === 'backpressure' || error.code === 'conflict')
    ? error.code
    : 'service_unavailable';

/** Judges a client event in the one order of checks. */
export function clientEventVerdict(
  connection: Connection,
  { event, channel: name, dataText }: ClientEvent,
  channels: Channels,
): Verdict {
  const { app, rules } = connection.hub;
  if (name === null) return refused('client_event_refused', null, 'A client event needs a channel');
  if (!rules.clientMessages)
    return refused('client_event_refused', name, 'Client events are not enabled for this app');
  if (Buffer.byteLength(event) > app.limits.maxEventNameBytes) {
    return refused('malformed_frame', name, 'The event name is too long');
  }
  if (!isStorable(event)) {
    return refused('client_event_refused', name, 'The event name holds what cannot be stored');
  }
  // Patterns and meta names are known here, so that they are told what every channel without client events is told.
  const channel = channels.subscription(app, name, 2);
  if (!channel.accepted)
    return refused(isSpecial(channel) ? 'client_event_refused' : channel.frame, name, channel.text);
  if (!takesClientEvents(channel)) {
    return refused('client_event_refused', name, 'Client events are not possible on this kind of channel');
  }
  if (dataText !== null && Buffer.byteLength(dataText) > app.limits.maxEventPayloadBytes) {
    return refused('client_event_refused', name, 'The payload is too large');
  }
  if (!connection.capabilities.allows('publish', name))
    return refused('forbidden', name, 'The capabilities do not permit it');
  const denied = clientPublishRefusal(channel) ?? userLimitRefusal(channel, connection.userId);
  if (denied !== null) return refused(denied.frame, name, denied.text);
  const subscription = connection.subscriptions.get(name);
  if (subscription === undefined)
    return refused('client_event_refused', name, 'Not subscribed to the channel');
  return { subscription, about: channel };
}

/** A malformed pattern or meta name is one all the same, and takes no client events. */
const isSpecial = ({ reason }: ChannelRefusal): boolean =>
  reason.startsWith('wildcard_') || reason.startsWith('meta_');

const refused = (row: ErrorCode, channel: string | null, message: string): Verdict => ({
  refused: frameError(row, { channel, message }),
});
