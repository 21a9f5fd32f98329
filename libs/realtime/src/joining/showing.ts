import type { Presence, PresenceView } from '@carillon/presence';
import type { Message } from '@carillon/protocol';
import type { Gate } from '../channels/gate.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Frames } from '../codec.js';
import type { Attached } from '../recovery/positions.js';
import { Patience, tellPast, type TellingParts, wasTold } from '../recovery/telling.js';
import type { Looks } from '../state/looks.js';

/** What showing works with. */
export interface ShowingParts extends TellingParts {
  readonly presence: Pick<Presence, 'look'>;
  readonly looks: Pick<Looks, 'shown'>;
}

/** What an edge has that shows by itself what comes before live events, which wait meanwhile. */
export class Showing {
  constructor(
    private readonly parts: ShowingParts,
    readonly channel: LocalChannel,
    private readonly gate: Gate,
    /** Where the subscription begins; what waits is newer. Null: it has no position. Undefined: that cannot be told now. */
    readonly attach: Attached | null | undefined,
  ) {}

  /** Who is there. Nothing that is in there already is told again, and others here are told what they did not know. */
  async members(): Promise<PresenceView> {
    const { hub, name } = this.channel;
    const view = await this.parts.presence.look({ appId: hub.appId, channel: name });
    this.parts.looks.shown(this.channel, this.gate, view);
    return view;
  }

  /** Everything of the stream up to there is shown: none of it is told again. */
  covered(place: { readonly streamId: string; readonly serial: number }): void {
    this.gate.covered(place);
  }

  /** Returns those of these messages that the filter of the subscriber accepts, evaluated in turns of the share. */
  async of(past: readonly Frames[]): Promise<readonly Frames[]> {
    const { subscriber, codec } = this.gate;
    const { share } = this.parts;
    const accepted: Frames[] = [];
    for (const frames of past) {
      const turn = frames.has(codec) ? undefined : share.turn(subscriber.hub.appId);
      if (turn !== undefined) await turn;
      if (!subscriber.isOpen) return accepted;
      if (share.measure(() => frames.of(codec)) !== null) accepted.push(frames);
    }
    return accepted;
  }

  /**
   * Tells messages of the past, and what waits and is not the same, no faster than they are read: of what more may wait than
   * for a client that does not read, little is left to be sent at once.
   */
  async tell(past: readonly Frames[]): Promise<void> {
    const { subscriber, codec } = this.gate;
    await tellPast(this.parts, subscriber, codec, past);
    this.gate.drop(wasTold(past.map(({ fact }) => fact as Message)));
    const patience = new Patience(subscriber);
    for (;;) {
      const settling = this.gate.settle();
      if (settling !== undefined) await settling;
      else if (!this.gate.sendNext()) return;
      else if (subscriber.lane !== null) await patience.isReading();
    }
  }
}
