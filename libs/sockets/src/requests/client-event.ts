import type { Subscription } from '@carillon/realtime';
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
import { AiChannels, AiMeters, headerLimits, isAiEvent } from '@carillon/history-ai';
import { isStorable } from '@carillon/contracts';
import { ServiceError, type ErrorCode } from '@carillon/errors';
import {
  deliveredExtras,
  type ExtrasRules,
  frameError,
  isClientEvent,
  readExtras,
  type FrameError,
} from '@carillon/protocol';
import type { ClientEvent } from '../connection/speech.js';
import type { SocketsParts } from '../parts.js';
import { AiEvents } from './ai-event.js';
import type { EventAnswer } from './event-answers.js';
import { ClientPublisher, extrasRules, PublishNews } from '@carillon/api-operations';
import type { Receipt } from '@carillon/history-publish';
import { dataOf, type WebhookEvents } from '@carillon/webhooks';

/** Dependencies of {@link ClientEvents}. */
export interface ClientEventParts {
  readonly channels: Channels;
  readonly publisher: Pick<ClientPublisher, 'publish'>;
  readonly webhooks: WebhookEvents;
  /** Rules for which `extras` are delivered. */
  readonly extras: ExtrasRules;
  readonly ai: AiEvents;
  /** Notifies the app's servers of side effects of a publish. */
  readonly news: Pick<PublishNews, 'tellOne'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Allowed {
  readonly subscription: Subscription;
  /** The channel as its rules are now. */
  readonly about: OrdinaryChannel;
}

type Verdict = { readonly refused: FrameError } | Allowed;

/** Publishes client events to the other subscribers of a channel. */
export class ClientEvents {
  constructor(private readonly parts: ClientEventParts) {}

  static of(
    parts: Pick<SocketsParts, 'cache' | 'config' | 'hub' | 'log' | 'metrics' | 'publisher' | 'webhooks'>,
  ): ClientEvents {
    const { config, hub, metrics, webhooks } = parts;
    const { channels, onTrouble } = hub;
    const aiChannels = new AiChannels(config.ai_transport);
    return new ClientEvents({
      channels,
      webhooks,
      publisher: new ClientPublisher(parts),
      extras: extrasRules(config),
      ai: new AiEvents(aiChannels, headerLimits(config), new AiMeters(metrics)),
      news: new PublishNews(webhooks, aiChannels, metrics),
      onTrouble,
    });
  }

  /** Undefined when nothing has to wait for it; the promise never rejects. Rate limits were checked before. */
  handle(connection: Connection, frame: ClientEvent, answer: EventAnswer): Promise<void> | undefined {
    const isOfClients = isClientEvent(frame.event);
    if (!isOfClients && !isAiEvent(frame.event)) return undefined;
    const { channels, ai } = this.parts;
    const aiVerdict = ai.judge(connection, frame);
    const refusal =
      aiVerdict !== null && 'row' in aiVerdict
        ? frameError(aiVerdict.row, { ...aiVerdict, channel: frame.channel })
        : null;
    const verdict: Verdict =
      refusal !== null
        ? { refused: refusal }
        : isOfClients
          ? clientEventVerdict(connection, frame, channels)
          : aiEventVerdict(connection, frame, channels);
    if ('refused' in verdict) {
      answer.refuse(verdict.refused);
      return undefined;
    }
    const stamped =
      aiVerdict !== null && 'extrasText' in aiVerdict
        ? { ...frame, extrasText: aiVerdict.extrasText }
        : frame;
    return this.#publish(connection, stamped, verdict, answer);
  }

  #publish(
    connection: Connection,
    frame: ClientEvent,
    { subscription, about }: Allowed,
    answer: EventAnswer,
  ): Promise<void> | undefined {
    const { event, dataText, dataBytes } = frame;
    const { channel, userId } = subscription;
    const { publisher, extras } = this.parts;
    const { idempotencyKey } = extrasOf(frame.extrasText);
    const extrasText = frame.extrasText === null ? null : deliveredExtras(frame.extrasText, extras);
    const { isEphemeral } = extrasOf(extrasText);
    const said = {
      appId: channel.hub.appId,
      channel: channel.name,
      event,
      dataText,
      ...(dataBytes === undefined ? {} : { isBytes: true as const }),
      userId,
      exceptSocketId: connection.id,
      isFromClient: true,
      messageId: frame.messageId,
      isLastEvent: false,
      ...keptOf(about, isEphemeral),
      tagsText: null,
      extrasText,
      ...(connection.identity === null ? {} : { creatorId: connection.identity.userId }),
    };
    const receipt = publisher.publish(channel.hub.app, said, idempotencyKey);
    const done = (made: Receipt): void => {
      answer.accept(made);
      const { tap } = channel.hub;
      if (tap !== null && made.isDuplicate !== true)
        tap.accepted(connection, { channel: channel.name, event, dataText, messageId: frame.messageId });
      if (!isEphemeral && made.isDuplicate !== true) this.#tell(connection, frame, subscription, made);
    };
    if (!(receipt instanceof Promise)) {
      done(receipt);
      return undefined;
    }
    const answered = this.#settle(receipt, subscription, answer, done);
    if (said.history === null) return answered;
    // Commits preserve call order, so later events need not await earlier ones.
    void answered;
    return undefined;
  }

  async #settle(
    receipt: Promise<Receipt>,
    subscription: Subscription,
    answer: EventAnswer,
    done: (receipt: Receipt) => void,
  ): Promise<void> {
    let made: Receipt;
    try {
      made = await receipt;
    } catch (error) {
      const { name: channel } = subscription.channel;
      const row = rowOf(error);
      if (row === 'service_unavailable') this.parts.onTrouble('client event', error);
      return answer.refuse(frameError(row, { channel }));
    }
    done(made);
  }

  #tell(
    { id, hub }: Connection,
    { event, dataText, extrasText }: ClientEvent,
    { channel, userId }: Subscription,
    receipt: Receipt,
  ): void {
    const { webhooks, news } = this.parts;
    news.tellOne(hub.app, { channel: channel.name, name: event, extrasText }, receipt);
    if (!isClientEvent(event) || !webhooks.wants(hub.app, 'client_event')) return;
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

interface SaidOfEvent {
  readonly isEphemeral: boolean;
  readonly idempotencyKey: string | null;
}

const NOTHING_SAID: SaidOfEvent = { isEphemeral: false, idempotencyKey: null };

/** Reads the publish options in `extras`, which were already validated. */
function extrasOf(extrasText: string | null): SaidOfEvent {
  const extras = extrasText === null ? null : readExtras(extrasText);
  if (extras === null || 'problem' in extras) return NOTHING_SAID;
  return { isEphemeral: extras.ephemeral, idempotencyKey: extras.idempotencyKey };
}

/** Any other failure is nothing that the client could do differently. */
function rowOf(error: unknown): ErrorCode {
  if (!(error instanceof ServiceError)) return 'service_unavailable';
  if (error.code === 'invalid_input') return 'malformed_frame';
  return error.code === 'backpressure' || error.code === 'conflict' ? error.code : 'service_unavailable';
}

/** Judges a client event in the one order of checks. */
function clientEventVerdict(connection: Connection, frame: ClientEvent, channels: Channels): Verdict {
  const { event, channel: name } = frame;
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
  // Patterns and meta names are parsed here, so that they get the same error as every channel without client events.
  const channel = channels.subscription(app, name, 2);
  if (!channel.accepted)
    return refused(isSpecial(channel) ? 'client_event_refused' : channel.frame, name, channel.text);
  if (!takesClientEvents(channel)) {
    return refused('client_event_refused', name, 'Client events are not possible on this kind of channel');
  }
  if (sizeOf(frame) > app.limits.maxEventPayloadBytes) {
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

/** Validates a client event that AI transport permits on its channel. */
function aiEventVerdict(connection: Connection, frame: ClientEvent, channels: Channels): Verdict {
  const { channel: name } = frame;
  const { app } = connection.hub;
  if (name === null) return refused('client_event_refused', null, 'An AI event needs a channel');
  if (sizeOf(frame) > app.limits.maxEventPayloadBytes)
    return refused('payload_too_large', name, 'The payload is too large');
  const channel = channels.subscription(app, name, 2);
  if (!channel.accepted) return refused(channel.frame, name, channel.text);
  if (channel.form !== 'ordinary')
    return refused('ai_event_not_permitted', name, 'AI events need an ordinary channel');
  if (!connection.capabilities.allows('publish', name))
    return refused('forbidden', name, 'The capabilities do not permit it');
  const denied = clientPublishRefusal(channel) ?? userLimitRefusal(channel, connection.userId);
  if (denied !== null) return refused(denied.frame, name, denied.text);
  const subscription = connection.subscriptions.get(name);
  return subscription === undefined
    ? refused('client_event_refused', name, 'Not subscribed to the channel')
    : { subscription, about: channel };
}

/** Bytes of a payload: of bytes themselves, else of JSON. */
const sizeOf = ({ dataText, dataBytes }: ClientEvent): number =>
  dataBytes ?? Buffer.byteLength(dataText ?? '');

/** A malformed pattern or meta name also counts as one, and does not accept client events. */
const isSpecial = ({ reason }: ChannelRefusal): boolean =>
  reason.startsWith('wildcard_') || reason.startsWith('meta_');

const refused = (row: ErrorCode, channel: string | null, message: string): Verdict => ({
  refused: frameError(row, { channel, message }),
});
