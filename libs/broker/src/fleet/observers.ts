import type { FanOutRecordBody } from '@carillon/contracts';
import { type MessageAction, readMessageV2 } from '@carillon/protocol';
import { Seen } from '../cluster/seen.js';
import type { LiveEvent } from '../live-event.js';
import type { MessageObserver, ObservedMessage } from './port.js';

const ACTIONS: Readonly<Partial<Record<FanOutRecordBody['op'], MessageAction>>> = {
  publish: 'plain',
  create: 'create',
  update: 'update',
  delete: 'delete',
  append: 'append',
};

/** Observed channels of one app. */
interface ObservedApp {
  readonly channels: Map<string, Set<MessageObserver>>;
  readonly whole: Set<MessageObserver>;
}

/** Hands accepted messages to the observers of their channel and their app. */
export class Observers {
  readonly #apps = new Map<string, ObservedApp>();
  /** Committed records may arrive twice. */
  readonly #records = new Seen();

  get isEmpty(): boolean {
    return this.#apps.size === 0;
  }

  /** Returns the function that removes it, which returns whether it was the last of the channel. */
  add(appId: string, channel: string | null, observer: MessageObserver): () => boolean {
    const app = this.#apps.get(appId) ?? { channels: new Map(), whole: new Set() };
    this.#apps.set(appId, app);
    const observers = channel === null ? app.whole : (app.channels.get(channel) ?? new Set());
    if (channel !== null) app.channels.set(channel, observers);
    observers.add(observer);
    return () => {
      observers.delete(observer);
      if (channel !== null && observers.size === 0) app.channels.delete(channel);
      if (app.channels.size === 0 && app.whole.size === 0) this.#apps.delete(appId);
      return observers.size === 0;
    };
  }

  has(appId: string, channel: string | null): boolean {
    const app = this.#apps.get(appId);
    if (app === undefined) return false;
    return channel === null ? app.whole.size > 0 : app.channels.has(channel);
  }

  event({ appId, channel, fact, exceptSocketId, publishedAtMs }: LiveEvent, nodeId: string): void {
    const app = this.#apps.get(appId);
    if (app === undefined || fact.kind !== 'message') return;
    this.#tell(app, channel, { appId, message: fact, socketId: exceptSocketId, nodeId, publishedAtMs });
  }

  record(record: FanOutRecordBody): void {
    const { app_id: appId, channel, op, message: text, published_at_ms: publishedAtMs } = record;
    const app = this.#apps.get(appId);
    const action = ACTIONS[op];
    if (app === undefined || action === undefined || typeof text !== 'string') return;
    if (app.whole.size === 0 && !app.channels.has(channel)) return;
    if (this.#records.isCopy(appId, `${channel} ${record.stream_id ?? ''} ${record.serial ?? ''}`)) return;
    const isFromClient = record.from_client === true;
    const message = readMessageV2(text, { action, isFromClient, mayBeDelta: true });
    if (message === null) return;
    const { except_socket: socketId = null, writer_id: nodeId } = record;
    this.#tell(app, channel, { appId, message, socketId, nodeId, publishedAtMs });
  }

  #tell({ channels, whole }: ObservedApp, channel: string, observed: ObservedMessage): void {
    for (const observer of channels.get(channel) ?? []) observer(observed);
    for (const observer of whole) observer(observed);
  }
}
