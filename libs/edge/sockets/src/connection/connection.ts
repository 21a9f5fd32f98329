import { type AppHub, Subscriber, type Windows } from '@carillon/hub';
import type { Speech } from './speech.js';

/** A subscriber on a WebSocket of this process, with what is remembered of its time. */
export class Connection extends Subscriber {
  /** The tick of the last inbound frame. */
  activeTick: number;
  /** A heartbeat was sent at this tick and nothing has come since; 0: none is outstanding. */
  probedTick = 0;
  /** Counts of its rate limits; null: nothing has been counted. */
  windows: Windows | null = null;

  /** Links of the timer wheel, see `Wheel`. */
  dueTick = 0;
  next: Connection | null = null;
  previous: Connection | null = null;

  constructor(
    id: string,
    hub: AppHub,
    readonly speech: Speech,
    readonly connectedTick: number,
  ) {
    super(id, hub, speech.edge, speech.codec);
    this.activeTick = connectedTick;
  }
}
