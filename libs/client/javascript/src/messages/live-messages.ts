import type { ChannelEvents, Summary } from '../channel/events.js';
import type { HistoryOptions, HistoryPage } from '../channel/history.js';
import type { Message } from '../channel/message.js';
import { Emitter, type Listener, type Stop } from '../emitter.js';
import { fold, type LiveMessage } from './fold.js';
import type { Messages } from './messages.js';

/** Versions that wait for the beginning of their message. */
const MAX_WAITING = 1000;

/** Selects the messages to keep. */
export interface LiveOptions {
  /** The number of newest messages to keep. Default 500. */
  readonly limit?: number;
  /** Whether a message belongs; absent: each does. */
  readonly belongs?: (message: Message) => boolean;
}

/** The channel whose messages they are. */
export interface LiveSource {
  readonly messages: Messages;
  readonly watch: Emitter<ChannelEvents>['watch'];
  watchAll(listener: Listener<Message>): Stop;
  whenSubscribed(): Promise<void>;
  history(options: HistoryOptions): Promise<HistoryPage>;
}

/** Events of a message view. */
export interface LiveEvents {
  /** All messages, oldest first. */
  readonly change: readonly LiveMessage[];
  readonly error: unknown;
}

/**
 * The messages of a channel in their current state: published messages with their updates, deletes, appends and
 * annotations applied. Messages that may have been missed are read again.
 */
export class LiveMessages extends Emitter<LiveEvents> {
  readonly #known = new Map<string, LiveMessage>();
  /** Summaries of messages that are not known yet: they arrive before the messages of a rewind. */
  readonly #summaries = new Map<string, LiveMessage['summary']>();
  readonly #limit: number;
  readonly #belongs: (message: Message) => boolean;
  readonly #stops: readonly Stop[];
  /** Versions received while their messages are being fetched. */
  readonly #waiting = new Map<string, Message[]>();
  #isClosed = false;
  #list: readonly LiveMessage[] | null = null;

  constructor(
    private readonly channel: LiveSource,
    { limit = 500, belongs = () => true }: LiveOptions,
  ) {
    super();
    this.#limit = limit;
    this.#belongs = belongs;
    this.#stops = [
      channel.watchAll((message) => this.#put(message)),
      channel.watch('summary', (summary) => this.#sum(summary)),
      channel.watch('recovery', ({ recovered }) => {
        if (!recovered) void this.load();
      }),
    ];
  }

  /** Oldest first; the same list until something changes. */
  get list(): readonly LiveMessage[] {
    this.#list ??= [...this.#known.values()].sort((a, b) => a.position - b.position);
    return this.#list;
  }

  get(serial: string): LiveMessage | undefined {
    return this.#known.get(serial);
  }

  /** Reads the newest messages of the history. Refusals are emitted as `error`. */
  async load(limit = this.#limit): Promise<void> {
    try {
      await this.channel.whenSubscribed();
      if (this.#isClosed) return;
      let page = await this.channel.history({ limit: Math.min(limit, 1000) });
      for (let left = limit; ;) {
        for (const { message } of page.items) this.#put(message);
        left -= page.items.length;
        const next = left > 0 && page.hasMore ? await page.next() : null;
        if (next === null) return;
        page = next;
      }
    } catch (error) {
      this.emit('error', error);
    }
  }

  /** Stops updating the view. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  /** `mayAsk`: for the beginning of a message, where that is not known. */
  #put(message: Message, mayAsk = true): void {
    const serial = message.change?.serial ?? message.id;
    if (serial === undefined || this.#isClosed || !this.#belongs(message)) return;
    const waiting = this.#waiting.get(serial);
    if (waiting !== undefined) return void waiting.push(message);
    const folded = fold(this.#known.get(serial), message);
    if (folded === 'stale') return;
    if (folded === 'baseless') return mayAsk ? void this.#fetch(serial, message) : undefined;
    const summary = this.#summaries.get(serial) ?? folded.summary;
    this.#summaries.delete(serial);
    this.#known.set(serial, { ...folded, summary });
    this.#changed();
  }

  /**
   * Fetches a message whose appended version arrived without its base. Versions received in the meantime wait for it.
   */
  async #fetch(serial: string, message: Message): Promise<void> {
    const waiting = [message];
    this.#waiting.set(serial, waiting);
    const now = await this.channel.messages.get(serial).catch((error: unknown) => {
      this.emit('error', error);
      return null;
    });
    this.#waiting.delete(serial);
    if (now === null) return;
    // Beyond the buffer limit the versions are dropped; the next one fetches the message again.
    const isTooMuch = waiting.length > MAX_WAITING;
    for (const one of isTooMuch ? [now] : [now, ...waiting]) this.#put(one, false);
  }

  #sum({ messageSerial, summary }: Summary): void {
    const known = this.#known.get(messageSerial);
    if (known === undefined) {
      this.#summaries.set(messageSerial, { ...this.#summaries.get(messageSerial), ...summary });
      if (this.#summaries.size > this.#limit * 2) {
        this.#summaries.delete(this.#summaries.keys().next().value ?? '');
      }
      return;
    }
    this.#known.set(messageSerial, { ...known, summary: { ...known.summary, ...summary } });
    this.#changed();
  }

  #changed(): void {
    this.#list = null;
    if (this.#known.size > this.#limit) {
      const [oldest] = this.list;
      if (oldest !== undefined) this.#known.delete(oldest.serial);
      this.#list = null;
    }
    this.emit('change', this.list);
  }
}
