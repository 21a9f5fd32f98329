import type { StoredMessage } from '../model/message.js';
import type { RememberedStream } from './remembered-streams.js';

/** Minimum number of remembered messages, least recently changed evicted first; at most twice as many. */
const MIN_MESSAGES = 10_000;
/** Size limit of the extras and version fields of a remembered message; longer ones are read again. */
const MAX_CHARACTERS = 1024;

interface Remembered {
  readonly message: StoredMessage;
  readonly spell: number;
}

/**
 * Messages in the state in which this process left them, without their data. Each holds as long as its stream is
 * remembered without a break, since nothing changes a message without changing its stream.
 */
export class RememberedMessages {
  #young = new Map<string, Remembered>();
  #old = new Map<string, Remembered>();

  /** Undefined: unknown or outdated. */
  find({ stream, spell }: RememberedStream, messageSerial: string): StoredMessage | undefined {
    const name = nameOf(stream.streamKey, messageSerial);
    const found = this.#young.get(name) ?? this.#old.get(name);
    return found?.spell === spell ? found.message : undefined;
  }

  /** Remembers the messages as written in these streams. */
  keep(streams: readonly RememberedStream[], messages: readonly StoredMessage[]): void {
    if (messages.length === 0) return;
    const spells = new Map(streams.map(({ stream, spell }) => [stream.streamKey, spell]));
    for (const message of messages) {
      const spell = spells.get(message.streamKey);
      if (spell !== undefined) this.#set(message, spell);
    }
  }

  forget(): void {
    this.#young = new Map();
    this.#old = new Map();
  }

  #set(message: StoredMessage, spell: number): void {
    const name = nameOf(message.streamKey, message.messageSerial);
    // A message over the size limit still replaces its outdated entry.
    this.#young.set(name, { message: { ...message, data: null }, spell: isShort(message) ? spell : NEVER });
    if (this.#young.size < MIN_MESSAGES) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}

const NEVER = -1;

const nameOf = (streamKey: string, messageSerial: string): string => `${streamKey} ${messageSerial}`;

const isShort = ({ extras, metadata, description }: StoredMessage): boolean =>
  [extras, metadata, description].reduce((sum, text) => sum + (text?.length ?? 0), 0) <= MAX_CHARACTERS;
