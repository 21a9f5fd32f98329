import { type Rolled, type RolledRecord, Rollup, type RollupLimits } from '@carillon/history-ai';
import { messageSerialOf, rolledUp } from '@carillon/protocol';
import type { Message } from '@carillon/protocol';
import type { Appends } from '../codec.js';
import { Frames } from '../codec.js';
import type { FlushWheel } from './flush-wheel.js';
import type { Told } from './told.js';

/** Metrics of append delivery. */
export interface AppendMeters {
  /** One frame delivered this number of appends; the first of them waited for `waitedMs`. */
  delivered(appends: number, waitedMs: number): void;
}

export interface PaceParts {
  readonly appends: Appends;
  readonly limits: RollupLimits;
  readonly wheel: FlushWheel;
  readonly nowMs: () => number;
  /** Shard key on the flush wheel. */
  readonly subject: string;
  readonly meters: () => AppendMeters;
  /** Delivers to all subscribers of this pace; returns their number. */
  readonly tell: (told: Told, pace: AppendPace) => number;
}

interface Item extends RolledRecord {
  readonly told: Told;
  readonly message: Message;
  readonly atMs: number;
}

const ACTIONS = {
  append: 'append',
  create: 'create',
  delete: 'delete',
  update: 'update',
  plain: 'other',
} as const;

/** Rolls up appends for the subscribers of one channel that share the same append options. */
export class AppendPace {
  readonly #rollup: Rollup<Item>;
  #firstAtMs = 0;
  #held = 0;
  #isWaiting = false;
  /** A subscriber has received all messages up to this serial by other means, for example history. */
  #seenUpTo = 0;

  constructor(private readonly parts: PaceParts) {
    this.#rollup = new Rollup({ ...parts.limits, windowMs: parts.appends.windowMs });
  }

  get appends(): Appends {
    return this.parts.appends;
  }

  /** Returns the number of subscribers notified immediately. */
  take(told: Told): number {
    const { fact } = told.frames;
    if (fact.kind !== 'message') {
      // Held-back appends precede the gap.
      if (fact.kind === 'resume_failed') this.flush();
      return this.parts.tell(told, this);
    }
    const { appends, nowMs } = this.parts;
    const isAppend = fact.action === 'append';
    if (!isAppend && this.#held === 0 && this.#rollup.tracked === 0) return this.parts.tell(told, this);
    const isSeen = isAppend && (fact.serial ?? 0) <= this.#seenUpTo;
    if (isSeen) this.flush();
    if (isAppend && (appends.windowMs === 0 || isSeen)) {
      this.parts.meters().delivered(1, 0);
      return this.parts.tell(told, this);
    }
    const atMs = nowMs();
    const item: Item = {
      told,
      message: fact,
      atMs,
      serial: fact.serial ?? 0,
      messageSerial: fact.action === 'plain' ? null : messageSerialOf(fact.extrasText),
      action: ACTIONS[fact.action],
      // When whole texts are sent, the last one supersedes the others.
      fragment: isAppend && !appends.wholes ? innerOf(fact) : '',
      extrasText: isAppend ? fact.extrasText : null,
    };
    const sent = this.#rollup.take(item, atMs);
    if (sent.length === 0) {
      if (this.#held === 0) this.#firstAtMs = atMs;
      this.#held += 1;
      this.#wait();
      return 0;
    }
    return this.#send(sent, atMs);
  }

  /**
   * A subscriber has received all messages up to this serial by other means. Flushes, so that a rolled-up frame is
   * either entirely covered by that serial or entirely newer; a client can then skip what it has.
   */
  seen(serial: number): void {
    this.flush();
    this.#seenUpTo = Math.max(this.#seenUpTo, serial);
  }

  /** Delivers everything held back. */
  flush(): void {
    if (this.#held > 0) this.#send(this.#rollup.drain(), this.parts.nowMs());
  }

  #wait(): void {
    const { dueMs } = this.#rollup;
    if (this.#isWaiting || dueMs === null) return;
    this.#isWaiting = true;
    this.parts.wheel.at(dueMs, this.parts.subject, () => this.#due());
  }

  #due(): void {
    this.#isWaiting = false;
    const nowMs = this.parts.nowMs();
    const sent = this.#rollup.tick(nowMs);
    if (sent.length > 0) this.#send(sent, nowMs);
    this.#wait();
  }

  #send(sent: readonly Rolled<Item>[], nowMs: number): number {
    let receivers = 0;
    const waitedMs = this.#held === 0 ? 0 : nowMs - this.#firstAtMs;
    const meters = this.parts.meters();
    for (const rolled of sent) {
      if (rolled.last.action === 'append') {
        const isHeld = rolled.last.atMs !== nowMs;
        meters.delivered(rolled.count, isHeld ? waitedMs : 0);
      }
      receivers = Math.max(receivers, this.parts.tell(this.#toldOf(rolled), this));
    }
    this.#held = 0;
    return receivers;
  }

  #toldOf({ last, fragment, fromSerial, tellsPosition }: Rolled<Item>): Told {
    const { told, message } = last;
    if (fromSerial === null && tellsPosition) return told;
    const { extrasText } = message;
    const fact: Message = {
      ...message,
      dataText: fromSerial === null || this.parts.appends.wholes ? message.dataText : `"${fragment}"`,
      extrasText: fromSerial === null ? extrasText : rolledUp(extrasText, fromSerial),
      ...(tellsPosition ? {} : { streamId: null, serial: null }),
    };
    return { ...told, frames: new Frames(fact, told.frames.atMs) };
  }
}

/** Returns the JSON text of an append without its quotes. */
const innerOf = ({ dataText }: Message): string =>
  dataText?.startsWith('"') === true ? dataText.slice(1, -1) : '';
