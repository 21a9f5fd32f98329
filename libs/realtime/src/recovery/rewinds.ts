import { frameError, type Message, type Rewind } from '@carillon/protocol';
import type { PendingFrames } from '../channels/pending-frames.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Codec } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { selectPast, type PastReader, type Selection } from './rewind-selection.js';
import type { ReplaySlots } from './replay-slots.js';
import { tellPast, type TellingParts, wasTold } from './telling.js';

export interface RewindsParts extends TellingParts {
  /** Null: this process cannot read channel history. */
  readonly reader: PastReader | null;
  readonly slots: ReplaySlots;
  readonly maxPageSize: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** A subscription that begins with channel history. */
export interface Rewinding {
  readonly subscriber: Subscriber;
  readonly local: LocalChannel;
  readonly codec: Codec;
  readonly gate: PendingFrames;
  readonly wish: Rewind;
  /** Newest history serial to include. */
  readonly attachSerial: number;
}

/** Sends a new subscriber the channel history, then the messages published meanwhile, then the result. */
export class Rewinds {
  constructor(private readonly parts: RewindsParts) {}

  /**
   * Sends the history and the messages waiting in the gate, which keeps holding. Returns the ids of the sent
   * messages. A history that cannot be read is reported as an error of the channel; the subscription continues. Never
   * rejects.
   */
  rewind(rewinding: Rewinding): Promise<ReadonlySet<string>> {
    const { subscriber } = rewinding;
    return this.parts.slots.run(subscriber, () => this.#rewind(rewinding));
  }

  async #rewind(rewinding: Rewinding): Promise<ReadonlySet<string>> {
    const { subscriber, local, gate } = rewinding;
    const { outlet, onTrouble } = this.parts;
    if (!subscriber.isOpen) return new Set();
    try {
      const { frames, ...report } = await this.#select(rewinding);
      const messages = frames.map(({ fact }) => fact as Message);
      const codec = rewinding.codec;
      const historicalCount = await tellPast(this.parts, subscriber, codec, frames);
      gate.drop(wasTold(messages));
      await gate.settle();
      const liveCount = gate.messages;
      gate.send();
      outlet.send(subscriber, {
        kind: 'rewound',
        channel: local.name,
        report: { historicalCount, liveCount, ...report },
      });
      return new Set(messages.map(({ messageId }) => messageId));
    } catch (error) {
      onTrouble('rewind', error);
      const message = 'The past of the channel cannot be read now';
      outlet.error(subscriber, frameError('service_unavailable', { channel: local.name, message }));
      return new Set();
    }
  }

  #select({ local, codec, wish, attachSerial }: Rewinding): Promise<Selection> {
    const { reader, maxPageSize, share } = this.parts;
    if (reader === null) return Promise.reject(new Error('this process has no way to histories'));
    const said = codec.held ?? codec;
    return selectPast(reader, {
      appId: local.hub.appId,
      channel: local.name,
      wish,
      untilSerial: attachSerial,
      maxPageSize,
      nowMs: Date.now(),
      share,
      isWanted: (frames) => frames.of(said) !== null,
    });
  }
}
