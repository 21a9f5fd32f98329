import type { StoredMessage } from '../model/message.js';
import type { RememberedStream } from './remembered-streams.js';

/** So many of those that were changed last are remembered at least, twice as many at most. */
const MIN_MESSAGES = 10_000;
/** What is said of a message by its extras and its version may have so much; longer ones are read again. */
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

  /** Undefined: it is not known, or not any more. */
  find({ stream, spell }: RememberedStream, messageSerial: string): StoredMessage | undefined {
    const name = nameOf(stream.streamKey, messageSerial);
    const found = this.#young.get(name) ?? this.#old.get(name);
    return found?.spell === spell ? found.message : undefined;
  }

  /** As they are in these streams. */
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
    // What is too long takes the place of what it was before all the same.
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
