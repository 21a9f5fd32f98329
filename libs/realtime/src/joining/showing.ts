import type { Presence, PresenceView } from '@carillon/presence';
import type { Message } from '@carillon/protocol';
import type { PendingFrames } from '../channels/pending-frames.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Frames } from '../codec.js';
import type { Attached } from '../recovery/positions.js';
import { Patience, tellPast, type TellingParts, wasTold } from '../recovery/telling.js';
import type { PresenceResync } from '../state/presence-resync.js';

/** Dependencies of `Showing`. */
export interface ShowingParts extends TellingParts {
  readonly presence: Pick<Presence, 'look'>;
  readonly looks: Pick<PresenceResync, 'shown'>;
}

/** Available to a protocol adapter that sends everything before live events itself; live events are held meanwhile. */
export class Showing {
  constructor(
    private readonly parts: ShowingParts,
    readonly channel: LocalChannel,
    private readonly gate: PendingFrames,
    /**
     * The position at which the subscription begins; held events are newer. Null: it has no position. Undefined: it
     * is unavailable.
     */
    readonly attach: Attached | null | undefined,
  ) {}

  /**
   * Returns the current members. Held changes they include are dropped, and other subscribers receive the
   * differences.
   */
  async members(): Promise<PresenceView> {
    const { hub, name } = this.channel;
    const view = await this.parts.presence.look({ appId: hub.appId, channel: name });
    this.parts.looks.shown(this.channel, this.gate, view);
    return view;
  }

  /** All messages of the stream up to there were sent: held copies are dropped. */
  covered(place: { readonly streamId: string; readonly serial: number }): void {
    this.gate.covered(place);
  }

  /** Returns the messages that pass the subscriber's filter, evaluated in turns of the share. */
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
   * Sends historical messages, then held ones that are not duplicates, no faster than the client reads. The gate may
   * hold more than the outbound queue of a slow client; this leaves only a small remainder to send on release.
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
