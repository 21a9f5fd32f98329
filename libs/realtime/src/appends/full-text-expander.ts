import { isOver, streamStatus } from '@carillon/history-ai';
import { type Fact, type Message, messageSerialOf, type ResumeFailed } from '@carillon/protocol';
import { pause } from '@carillon/runtime';
import { Frames } from '../codec.js';
import type { Told } from './told.js';

/** Limit of facts waiting for a text; beyond it the read is abandoned. */
const MAX_WAITING = 1000;
const TRIES = 3;
const PAUSE_MS = 100;

/** The text of a message up to the record with this serial. */
export interface Text {
  /** The JSON text without its quotes. */
  readonly inner: string;
  readonly serial: number;
}

export interface WholesParts {
  /**
   * Returns the text of a message as of a delivery serial; null if the message does not exist or its data is not a
   * string.
   */
  readonly read: (messageSerial: string, serial: number) => Promise<Text | null>;
  readonly tell: (told: Told) => void;
  /** Returns the fact that reports a gap at this message; null if no subscriber uses positions. */
  readonly gapAt: (message: Message) => ResumeFailed | null;
  /** Limit of cached texts; evicted ones, least recently used first, are read again when needed. */
  readonly maxBytes: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Expands each append to the full text of its version, for subscribers in full-text mode. An unknown text is read
 * once, as of the append that needs it, while later messages queue behind it, so that the order is kept. If the read
 * fails, the message is skipped until its next full version and a gap notice is sent; a deleted message causes no
 * notice.
 */
export class FullTextExpander {
  /** In order of use, most recent last. */
  readonly #texts = new Map<string, Text>();
  #bytes = 0;
  /** Facts waiting for a text to be read; null if none waits. */
  #waiting: Told[] | null = null;
  /** Number of the current read; results of earlier ones are ignored. */
  #reading = 0;

  constructor(private readonly parts: WholesParts) {}

  take(told: Told): void {
    if (this.#waiting === null) return this.#do(told);
    this.#waiting.push(told);
    if (this.#waiting.length <= MAX_WAITING) return;
    this.parts.onTrouble('the text of a message', new Error('it takes too long'));
    this.#tellGap();
    this.#goOn();
  }

  /** Abandons the pending read. */
  giveUp(): void {
    while (this.#waiting !== null) {
      this.#tellGap();
      this.#goOn();
    }
  }

  #do(told: Told): void {
    const { fact } = told.frames;
    if (fact.kind === 'resume_failed') this.#forgetAll();
    if (!isVersion(fact)) return this.parts.tell(told);
    const messageSerial = messageSerialOf(fact.extrasText);
    if (messageSerial === null) return this.parts.tell(told);
    if (fact.action === 'append') return this.#append(told, fact, messageSerial);
    this.#remember(messageSerial, { inner: innerOf(fact.dataText), serial: fact.serial ?? 0 });
    this.parts.tell(told);
  }

  #append(told: Told, fact: Message, messageSerial: string): void {
    const text = this.#texts.get(messageSerial);
    const serial = fact.serial ?? 0;
    if (text === undefined) return this.#load(told, messageSerial, serial);
    const whole =
      serial <= text.serial ? text : { inner: text.inner + (innerOf(fact.dataText) ?? ''), serial };
    if (isOver(streamStatus(fact.extrasText))) this.#forget(messageSerial);
    else this.#remember(messageSerial, whole);
    const shown = { ...fact, dataText: `"${whole.inner}"` };
    this.parts.tell({ ...told, frames: new Frames(shown, told.frames.atMs) });
  }

  #load(told: Told, messageSerial: string, serial: number): void {
    this.#waiting = [told];
    this.#reading += 1;
    void this.#read(messageSerial, serial, this.#reading);
  }

  async #read(messageSerial: string, serial: number, reading: number): Promise<void> {
    let text: Text | null | undefined;
    for (let tries = 1; tries <= TRIES && this.#reading === reading; tries += 1) {
      try {
        text = await this.parts.read(messageSerial, serial);
        break;
      } catch (error) {
        this.parts.onTrouble('the text of a message', error);
        await pause(PAUSE_MS * tries);
      }
    }
    if (this.#reading !== reading) return;
    if (text === undefined) this.#tellGap();
    else if (text !== null) this.#remember(messageSerial, text);
    this.#goOn(text ? null : messageSerial);
  }

  /** Delivers the waiting facts, except appends to the message whose text is unavailable. */
  #goOn(without: string | null = this.#firstWaiting()): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#reading += 1;
    for (const told of waiting) {
      const { fact } = told.frames;
      const isLost =
        without !== null &&
        isVersion(fact) &&
        fact.action === 'append' &&
        messageSerialOf(fact.extrasText) === without &&
        !this.#texts.has(without);
      if (!isLost) this.take(told);
    }
  }

  /** Reports a gap at the first waiting message. */
  #tellGap(): void {
    const fact = this.#waiting?.[0]?.frames.fact;
    const gap = fact?.kind === 'message' ? this.parts.gapAt(fact) : null;
    if (gap !== null) this.parts.tell({ frames: new Frames(gap), exceptSocketId: null });
  }

  #firstWaiting(): string | null {
    const fact = this.#waiting?.[0]?.frames.fact;
    return fact?.kind === 'message' ? messageSerialOf(fact.extrasText) : null;
  }

  #remember(messageSerial: string, { inner, serial }: { inner: string | null; serial: number }): void {
    this.#forget(messageSerial);
    // Data that is not a string cannot be appended to.
    if (inner === null) return;
    this.#texts.set(messageSerial, { inner, serial });
    this.#bytes += inner.length;
    for (const [oldest] of this.#texts) {
      // A single text is kept regardless of its size: it would be read again immediately.
      if (this.#bytes <= this.parts.maxBytes || oldest === messageSerial) break;
      this.#forget(oldest);
    }
  }

  /** Facts of the channel were lost, so cached texts may be incomplete. */
  #forgetAll(): void {
    this.#texts.clear();
    this.#bytes = 0;
  }

  #forget(messageSerial: string): void {
    this.#bytes -= this.#texts.get(messageSerial)?.inner.length ?? 0;
    this.#texts.delete(messageSerial);
  }
}

const isVersion = (fact: Fact): fact is Message => fact.kind === 'message' && fact.action !== 'plain';

/** Returns a JSON string without its quotes, empty if there is no data; null if the data is not a string. */
export function innerOf(dataText: string | null): string | null {
  if (dataText === null || dataText === 'null') return '';
  return dataText.startsWith('"') ? dataText.slice(1, -1) : null;
}
