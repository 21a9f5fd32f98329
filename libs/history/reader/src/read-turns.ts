import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSlots, LoopShare } from '@carillon/runtime';
import { inTime } from './in-time.js';

/** Requests of one app that wait for a read; more are rejected with `service_unavailable`. */
const WAITING_PER_APP = 1000;
/** Estimates of the time that the process takes to read rows, make a page of them and encode it. */
const ROW_MS = 0.008;
const KIB_MS = 0.003;

export interface ReadTurnsOptions {
  /** Reads at one time. */
  readonly atOnce: number;
  /** Reads of one app at one time. */
  readonly atOncePerApp: number;
  /** Absent: one of its own. */
  readonly share?: LoopShare;
}

/**
 * Schedules the reads of histories that clients request in this process: a limited number at one time, in total and
 * per app, and only as fast as the share of the event loop permits. A store in memory answers within one turn of the
 * loop: there the share is the bound, not the number at one time.
 */
export class ReadTurns {
  readonly share: LoopShare;
  readonly slots: FairSlots;

  constructor({ atOnce, atOncePerApp, share = new LoopShare() }: ReadTurnsOptions) {
    this.share = share;
    this.slots = new FairSlots({ atOnce, atOncePerOwner: atOncePerApp, waitingPerOwner: WAITING_PER_APP });
  }

  /** Runs a read of an app in its turn. The time includes the wait; rejects as `inTime` does. */
  read<Body>(app: string, timeoutMs: number, work: () => Promise<Body>): Promise<Body> {
    return inTime(timeoutMs, (signal) => this.run(app, work, signal));
  }

  /**
   * Runs a read of an app in its turn, however long that takes. Rejects with `SlotsFull` if too many wait. A store in
   * memory answers within one turn of the loop: then the slot is kept until the next one, and all the time that the
   * answer took until then is charged.
   */
  run<Value>(app: string, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        await this.share.turn(app);
        const beganMs = performance.now();
        let hasTurned = false;
        const turned = nextTurn().then(() => (hasTurned = true));
        await work().then(resolve, reject);
        if (hasTurned) return;
        await turned;
        this.share.spend(performance.now() - beganMs);
      };
      this.slots.run(app, run, signal).catch(reject);
    });
  }

  /** Charges records that a read returned. */
  chargeRecords(records: readonly { readonly payloadSize: number }[]): void {
    this.charge(
      records.length,
      records.reduce((sum, { payloadSize }) => sum + payloadSize, 0),
    );
  }

  /** Charges rows that a read returned, with the size of their texts. */
  charge(rows: number, bytes = 0): void {
    this.share.spend(rows * ROW_MS + (bytes / 1024) * KIB_MS);
  }
}
