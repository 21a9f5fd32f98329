import type { RecordStore } from '@carillon/records';
import type { StoreObserver } from '../sql/session.js';
import { Partitions } from './partitions.js';
import { Pointers } from './pointers.js';
import { Rows } from './rows.js';
import { type Spread, TimeIndex } from './time-index.js';

const HOUR_MS = 3_600_000;

/** Entries that come and go within minutes. */
const BUSY: Spread = { slotMs: HOUR_MS, buckets: 4 };
/** The same of one app, read at each admission. */
const OF_APP: Spread = { slotMs: HOUR_MS / 6, buckets: 1 };
/** Entries whose time is to come. */
const PLANNED: Spread = { slotMs: 6 * HOUR_MS, buckets: 4 };
/** Entries that stay for days. */
const KEPT: Spread = { slotMs: 24 * HOUR_MS, buckets: 4 };

/** Dependencies shared by the parts of the store. */
export class Parts {
  readonly rows: Rows;
  readonly partitions: Partitions;
  readonly pointers: Pointers;
  /** Publishes that are not over, by their last change at the time of the entry or before it. */
  readonly live: TimeIndex;
  /** Publishes that are not over in the scope of each app, by their time, or by when they were accepted. */
  readonly active: TimeIndex;
  /** Publishes that wait for their time, by that time. */
  readonly waiting: TimeIndex;
  /** Publishes that are over, by their last change or before it. */
  readonly over: TimeIndex;
  /** Publishes with deliveries that are not done, by the earliest moment since which one may be forgotten. */
  readonly open: TimeIndex;
  /** Scheduled jobs by their time. */
  readonly jobs: TimeIndex;
  readonly deferred: TimeIndex;
  /** Devices that failed for good, by when they were last active or before it. */
  readonly failed: TimeIndex;
  /** Publishes with events, by the hour of these; of all apps, and in the scope of each app. */
  readonly events: TimeIndex;
  /** Dead letters by their time; of all apps, and in the scope of each app. */
  readonly deadLetters: TimeIndex;
  /** Dead letters that can be replayed and were not. */
  readonly replayable: TimeIndex;
  readonly operatorEvents: TimeIndex;

  constructor(records: RecordStore, observer: StoreObserver) {
    this.rows = new Rows(records);
    this.partitions = new Partitions(this.rows, observer);
    this.pointers = new Pointers(this.rows);
    const index = (name: string, spread: Spread): TimeIndex => new TimeIndex(this.rows, name, spread);
    this.live = index('live', BUSY);
    this.active = index('active', OF_APP);
    this.waiting = index('waiting', PLANNED);
    this.over = index('over', KEPT);
    this.open = index('open', BUSY);
    this.jobs = index('jobs', PLANNED);
    this.deferred = index('deferred', BUSY);
    this.failed = index('failed', KEPT);
    this.events = index('events', KEPT);
    this.deadLetters = index('dead', KEPT);
    this.replayable = index('replayable', KEPT);
    this.operatorEvents = index('operator', KEPT);
  }
}
