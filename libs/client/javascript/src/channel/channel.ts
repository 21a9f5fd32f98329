import type { Authorization } from '../auth/authorizer.js';
import type { Emitter, Listener, Stop } from '../emitter.js';
import { CarillonError } from '../error.js';
import type { Extras, HeaderValue, ReceivedFrame } from '../format/frame.js';
import { randomId } from '../id.js';
import { Ai } from '../messages/ai.js';
import { Annotations } from '../messages/annotations.js';
import { LiveMessages, type LiveOptions } from '../messages/live-messages.js';
import { Messages, type RestParts } from '../messages/messages.js';
import { Bindings } from './bindings.js';
import type { ChannelEvents, ChannelState } from './events.js';
import type { Histories, HistoryOptions, HistoryPage } from './history.js';
import { type Message, messageOf, parsed } from './message.js';
import type { SubscribeOptions } from './options.js';
import { Presence } from './presence.js';
import type { Sending } from './receipts.js';
import { Subscription, type SubscriptionParts } from './subscription.js';

/** The data of each event of a channel, for the compiler. */
export type EventMap = Readonly<Record<string, unknown>>;

/** Options of publishing an event. */
export interface SendOptions {
  /** The message id, at most 64 bytes, used for deduplication. Absent: a new one is generated. */
  readonly id?: string;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  /** Deliver only to currently connected clients; dropped if this client is not connected. */
  readonly ephemeral?: boolean;
  /** Whether this client receives the message itself; absent: the setting of the connection. */
  readonly echo?: boolean;
  readonly ai?: Extras['ai'];
  /** The longest to wait for the acknowledgement. Default 10,000; 0: no limit. */
  readonly timeoutMs?: number;
}

/** Options of waiting for a subscription. */
export interface WaitOptions {
  /** Absent: no timeout. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Decrypts messages of encrypted channels. */
export interface Decryptor {
  /** Null: it is not encrypted with the secret. */
  open(sharedSecret: string, sealed: { readonly nonce: string; readonly ciphertext: string }): string | null;
}

/** The client dependencies of a channel. */
export interface ChannelParts extends Omit<SubscriptionParts, 'deliver' | 'onAuthorized'> {
  readonly vendor: string;
  /** Whether appends carry the whole message, as requested by the connection. */
  readonly wholeAppends: boolean;
  readonly histories: Histories;
  readonly rest: RestParts;
  readonly decryptor: Decryptor | null;
}

const SEND_TIMEOUT_MS = 10_000;

/** One channel of the client. It stays the same through all connections. */
export class Channel<Events extends object = EventMap> {
  readonly name: string;
  /** The current members; empty on channels other than presence channels. */
  readonly presence: Presence;
  /** Reads and changes messages through the app's own server. */
  readonly messages: Messages;
  readonly annotations: Annotations;
  readonly ai: Ai;
  /** For the client alone. */
  readonly subscription: Subscription;
  readonly #bindings = new Bindings();
  #sharedSecret: string | null = null;

  constructor(
    name: string,
    private readonly parts: ChannelParts,
  ) {
    this.name = name;
    this.subscription = new Subscription(name, {
      ...parts,
      deliver: (frame) => this.#deliver(frame),
      onAuthorized: (authorization) => this.#authorized(authorization),
    });
    this.presence = new Presence({
      update: (data) => {
        if (this.state === 'idle' || this.state === 'failed')
          throw new CarillonError('It is not subscribed', { channel: name });
        if (this.state === 'subscribed')
          parts.send({ event: 'service:presence_update', data: { channel: name, data } });
      },
    });
    this.subscription.events.watch('state', (state) => {
      if (state === 'subscribed') this.presence.entered();
    });
    this.messages = new Messages(name, parts.rest);
    this.annotations = new Annotations(name, parts.rest);
    this.ai = new Ai(name, this.messages, (event, ai, data) => this.send(event, data, { ai }));
  }

  get state(): ChannelState {
    return this.subscription.state;
  }

  /** Adds a listener for the channel's lifecycle events (everything except messages). */
  readonly on: Emitter<ChannelEvents>['on'] = (name, listener) => this.subscription.events.on(name, listener);

  /** Calls the listener for the next event only. */
  readonly once: Emitter<ChannelEvents>['once'] = (name, listener) =>
    this.subscription.events.once(name, listener);

  /** Removes listeners that `on` or `once` added: one, all of an event, or all. */
  readonly off: Emitter<ChannelEvents>['off'] = (name, listener) =>
    this.subscription.events.off(name, listener);

  /** Calls the listener with the data of each event of that name, and with the whole message. */
  bind<Name extends keyof Events & string>(
    event: Name,
    listener: (data: Events[Name], message: Message<Events[Name]>) => void,
  ): Stop {
    return this.#bindings.add(event, listener, 'each');
  }

  /** Calls the listener for the next event of that name only. */
  bindOnce<Name extends keyof Events & string>(
    event: Name,
    listener: (data: Events[Name], message: Message<Events[Name]>) => void,
  ): Stop {
    return this.#bindings.add(event, listener, 'once');
  }

  /** Calls the listener with every message, changes of messages too. */
  bindAll(listener: Listener<Message>): Stop {
    return this.#bindings.addToAll(listener, 'caller');
  }

  /** Removes listeners of messages: one, all of an event, one from every event, or all. */
  unbind<Name extends keyof Events & string>(
    event?: Name,
    listener?: (data: Events[Name], message: Message<Events[Name]>) => void,
  ): void {
    this.#bindings.remove(event, listener);
  }

  /** Removes all listeners of messages that the caller added. */
  unbindAll(): void {
    this.#bindings.removeAll();
  }

  /**
   * Resolves when the channel is subscribed. Rejects when the subscription is refused or ended, the client disconnects
   * for good, `timeoutMs` pass (absent: no timeout), or the signal is aborted: then with the signal's reason.
   */
  whenSubscribed({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    const { failure, ends } = this.subscription;
    const { clock } = this.parts;
    if (this.state === 'subscribed') return Promise.resolve();
    if (failure !== null) return Promise.reject(failure);
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const over = (how: () => void): void => {
        for (const stop of stops) stop();
        how();
      };
      const fail = (text: string): void =>
        over(() => reject(new CarillonError(text, { channel: this.name })));
      const abort = (): void => over(() => reject(signal?.reason as Error));
      signal?.addEventListener('abort', abort);
      const { events } = this.subscription;
      const stops = [
        () => signal?.removeEventListener('abort', abort),
        events.watch('subscribed', () => over(resolve)),
        events.watch('error', (error) => {
          if (this.state === 'failed') over(() => reject(error));
        }),
        events.watch('state', (state) => {
          if (state === 'idle') fail('It was unsubscribed');
        }),
        ends.on('ended', (reason) => over(() => reject(reason))),
        ...(timeoutMs === undefined
          ? []
          : [clock.after(timeoutMs, () => fail(`It was not subscribed within ${timeoutMs} ms`))]),
      ];
    });
  }

  /** Changes the subscription, or begins it. */
  subscribe(options: SubscribeOptions = {}): void {
    this.subscription.want(options);
  }

  unsubscribe(): void {
    this.subscription.unwant();
    this.presence.left();
  }

  /**
   * Sends an event to the other subscribers: `client-…`, or `ai-input` and `ai-cancel` on AI channels. Without a connection the
   * event waits; after a lost connection it is sent again under its id.
   *
   * Resolves when the service acknowledges the event. Rejects with a `CarillonError`: with the `code` of a refusal, or with the
   * `reason` `disconnected` (the client disconnects for good, or `maxQueued` events wait already) or `timeout`.
   */
  send(event: string, data: unknown, options: SendOptions = {}): Sending {
    const { id = randomId(), timeoutMs = SEND_TIMEOUT_MS, ...extras } = options;
    const frame = {
      event,
      channel: this.name,
      data,
      messageId: id,
      ...(Object.keys(extras).length === 0 ? {} : { extras }),
    };
    return this.subscription.publish(frame, timeoutMs);
  }

  /** The messages of the past, over the connection. The channel must be subscribed. */
  async history(options: HistoryOptions = {}): Promise<HistoryPage> {
    if (this.state === 'subscribing') await this.whenSubscribed();
    return this.parts.histories.page(this.name, options);
  }

  /** For the client's own classes: a listener that `off` without a listener does not remove. */
  readonly watch: Emitter<ChannelEvents>['watch'] = (name, listener) =>
    this.subscription.events.watch(name, listener);

  /** For the client's own classes: a listener that `unbindAll` does not remove. */
  watchAll(listener: Listener<Message>): Stop {
    return this.#bindings.addToAll(listener, 'client');
  }

  /** The channel's messages as they are now, kept up to date with every change. */
  live(options: LiveOptions = {}): LiveMessages {
    return new LiveMessages(this, options);
  }

  #authorized({ shared_secret: secret }: Authorization): void {
    this.#sharedSecret = secret ?? null;
  }

  #deliver(frame: ReceivedFrame): void {
    const { vendor, wholeAppends } = this.parts;
    const opened = this.#opened(frame);
    if (opened === null) return;
    const message = messageOf(opened, vendor, wholeAppends);
    this.#bindings.tell(message);
    if (message.change !== null && message.change.action !== 'create') {
      this.subscription.events.emit('change', message);
    }
    this.#bindings.tellOfAll(message);
  }

  /** Null: it cannot be read. */
  #opened(frame: ReceivedFrame): ReceivedFrame | null {
    const { decryptor } = this.parts;
    if (decryptor === null || !this.name.startsWith('private-encrypted-')) return frame;
    const sealed = parsed(frame.data) as { nonce: string; ciphertext: string };
    const data = this.#sharedSecret === null ? null : decryptor.open(this.#sharedSecret, sealed);
    if (data !== null) return { ...frame, data };
    // The key may have been rotated; later messages are read with the new one.
    this.subscription.events.emit(
      'error',
      new CarillonError('A message cannot be read', { channel: this.name }),
    );
    this.subscription.want(this.subscription.options);
    return null;
  }
}
