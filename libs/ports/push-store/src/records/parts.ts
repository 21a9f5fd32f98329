import type { RecordStore } from '@carillon/records';
import type { StoreObserver } from '../sql/session.js';
import { Partitions } from './partitions.js';
import { Pointers } from './pointers.js';
import { Rows } from './rows.js';
import { TimeIndex } from './time-index.js';

/** What the parts of the store share. */
export class Parts {
  readonly rows: Rows;
  readonly partitions: Partitions;
  readonly pointers: Pointers;
  /** Publishes that are not over, by their last change at the time of the entry or before it. */
  readonly live: TimeIndex;
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
    const index = (name: string): TimeIndex => new TimeIndex(this.rows, name);
    this.live = index('live');
    this.waiting = index('waiting');
    this.over = index('over');
    this.open = index('open');
    this.jobs = index('jobs');
    this.deferred = index('deferred');
    this.failed = index('failed');
    this.events = index('events');
    this.deadLetters = index('dead');
    this.replayable = index('replayable');
    this.operatorEvents = index('operator');
  }
}
