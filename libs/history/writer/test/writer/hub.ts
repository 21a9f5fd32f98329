import type { FanOutRecordBody } from '@carillon/contracts';
import type { AnnouncementListener, Heard, LaneAddress, LaneBroker, LaneHandler } from '@carillon/broker';
import type { Clock } from '../../src/index.js';
import { settled } from '../manual-clock.js';

const keyOf = ({ use, lane }: LaneAddress): string => `${use}.${lane}`;

/** Faults of the simulated network. */
export interface Weather {
  /** Delay of a message. */
  delayMs(): number;
  /** Copies of a request that arrive: 0, 1 or 2. */
  copies(): number;
}

export const FAIR: Weather = { delayMs: () => 0, copies: () => 1 };

/** An in-process broker with a manual clock. */
export class Hub {
  readonly ends: HubEnd[] = [];
  readonly handedOver: FanOutRecordBody[] = [];
  weather: Weather = FAIR;

  constructor(readonly clock: Clock) {}

  open(): HubEnd {
    const end = new HubEnd(this);
    this.ends.push(end);
    return end;
  }

  /** Returns the processes that serve an address. */
  servers(address: LaneAddress): HubEnd[] {
    return this.ends.filter((end) => end.isUp && end.handlers.has(keyOf(address)));
  }
}

/** One process's way to the hub. */
export class HubEnd implements LaneBroker {
  readonly maxBytes = 1024 * 1024;
  readonly handlers = new Map<string, LaneHandler>();
  listener: AnnouncementListener | null = null;
  isUp = true;
  /** Addresses that the broker refuses, so often. */
  refusals = 0;

  constructor(private readonly hub: Hub) {}

  /** Kills the process; nothing of it is sent any more. */
  crash(): void {
    this.isUp = false;
    this.handlers.clear();
    this.listener = null;
  }

  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const { clock, weather } = this.hub;
    const servers = this.hub.servers(address);
    if (servers.length === 0) return Promise.resolve({ kind: 'no_responder' });
    return new Promise((resolve) => {
      clock.after(budgetMs, () => resolve({ kind: 'silent' }));
      for (const server of servers) {
        const handler = server.handlers.get(keyOf(address));
        for (let copy = weather.copies(); copy > 0; copy -= 1) {
          this.#later(async () => {
            const reply = server.isUp ? await handler?.(text) : null;
            if (typeof reply !== 'string' || !server.isUp) return;
            this.#later(() => resolve({ kind: 'reply', text: reply }));
          });
        }
      }
    });
  }

  async serve(address: LaneAddress, handler: LaneHandler): Promise<void> {
    await settled();
    if (!this.isUp) return new Promise(() => {});
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw new Error('refused');
    }
    this.handlers.set(keyOf(address), handler);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    this.handlers.delete(keyOf(address));
    await settled();
  }

  async announce(text: string): Promise<void> {
    if (!this.isUp) throw new Error('not connected');
    for (const other of this.hub.ends)
      if (other !== this) this.#later(() => other.listener?.(Buffer.from(text)));
  }

  async hear(listener: AnnouncementListener): Promise<void> {
    if (this.isUp) this.listener = listener;
  }

  async handOver(record: FanOutRecordBody): Promise<void> {
    if (!this.isUp) throw new Error('not connected');
    this.hub.handedOver.push(record);
  }

  #later(run: () => void | Promise<void>): void {
    const delayMs = this.hub.weather.delayMs();
    if (delayMs === 0) void run();
    else this.hub.clock.after(delayMs, () => void run());
  }
}
