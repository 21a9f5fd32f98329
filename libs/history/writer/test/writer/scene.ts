import { randomUUID } from 'node:crypto';
import type { CommitRecord, CommitResult } from '@carillon/contracts';
import {
  type Changes,
  type Found,
  MemoryHistoryStore,
  streamName,
  type Wanted,
} from '@carillon/history-store';
import { CommitClient, RemoteLanes, Writer } from '../../src/index.js';
import { ManualClock } from '../manual-clock.js';
import { publishOf } from '../samples.js';
import { Hub, type HubEnd } from './hub.js';
import { SILENT_EVENTS } from '../silent-events.js';

export const LANES = 8;

const nothing = (): void => {};

/** Store of a process that may be killed. */
class MortalStore extends MemoryHistoryStore {
  isDead = false;

  constructor(private readonly shared: MemoryHistoryStore) {
    super();
  }

  override async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    await this.#alive();
    const decision = await this.shared.commit(wanted, decide);
    await this.#alive();
    return decision;
  }

  override async agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    return this.shared.agreeOnLanes(lanes, replace);
  }

  override agreedLanes: MemoryHistoryStore['agreedLanes'] = () => this.shared.agreedLanes();

  override raiseWatermarks: MemoryHistoryStore['raiseWatermarks'] = async (marks, seen) => {
    await this.#alive();
    await this.shared.raiseWatermarks(marks, seen);
  };

  override laneSeenAtMs: MemoryHistoryStore['laneSeenAtMs'] = (lane) => this.shared.laneSeenAtMs(lane);
  override behind: MemoryHistoryStore['behind'] = (query) => this.shared.behind(query);
  override degraded: MemoryHistoryStore['degraded'] = (query) => this.shared.degraded(query);
  override presenceCheckpoint: MemoryHistoryStore['presenceCheckpoint'] = (query) =>
    this.shared.presenceCheckpoint(query);
  override heads: MemoryHistoryStore['heads'] = (addresses) => this.shared.heads(addresses);
  override range: MemoryHistoryStore['range'] = (query) => this.shared.range(query);
  override page: MemoryHistoryStore['page'] = (query) => this.shared.page(query);
  override retained: MemoryHistoryStore['retained'] = (stream, nowMs) => this.shared.retained(stream, nowMs);

  async #alive(): Promise<void> {
    if (this.isDead) await new Promise(() => {});
  }
}

/** A writer's process. */
export interface Process {
  readonly writerId: string;
  readonly writer: Writer;
  readonly end: HubEnd;
  readonly lines: string[];
  /** Kills it without notice. */
  kill(): void;
}

/** Writers over one store and one broker, and a publisher that knows nothing of them. */
export class WriterScene {
  readonly clock = new ManualClock();
  readonly hub = new Hub(this.clock);
  readonly store = new MemoryHistoryStore();
  readonly resent: string[] = [];
  readonly #sent = new Map<string, string[]>();
  readonly results = new Map<string, CommitResult>();
  readonly publisher: CommitClient;
  #started = 0;

  constructor(readonly lanes = LANES) {
    this.publisher = new CommitClient(
      {
        clock: this.clock,
        transport: new RemoteLanes(this.hub.open()),
        random: () => 0.5,
        resent: (cause) => this.resent.push(cause),
      },
      { lanes, nodeId: 'n1', budgetMs: 5000, maxRecordBytes: 1 << 24 },
    );
  }

  open(lanes = this.lanes): Process {
    this.#started += 1;
    const writerId = `w-${this.#started}`;
    const end = this.hub.open();
    const store = new MortalStore(this.store);
    const lines: string[] = [];
    const writer = new Writer(
      {
        broker: end,
        store,
        clock: this.clock,
        lane: {
          newStreamId: randomUUID,
          events: SILENT_EVENTS,
        },
        events: {
          taken: nothing,
          released: nothing,
          buried: (id) => lines.push(`buried ${id}`),
          mismatched: ({ nodeId, lanes: theirs }) => lines.push(`${nodeId} counts ${theirs}`),
          dropped: (reason) => lines.push(`dropped ${reason}`),
          failed: (doing) => lines.push(`failed to ${doing}`),
        },
      },
      { lanes, writerId, nodeId: writerId, queueCapacity: 4096 },
    );
    const kill = (): void => {
      end.crash();
      store.isDead = true;
    };
    return { writerId, writer, end, lines, kill };
  }

  /** Begins it; it takes lanes a second later. */
  start(lanes?: number): Process {
    const process = this.open(lanes);
    process.writer.start().catch((error: unknown) => process.lines.push(String(error)));
    return process;
  }

  publish(channel: string): void {
    const sent = this.#sent.get(channel) ?? [];
    this.#sent.set(channel, sent);
    const record = publishOf(channel, String(sent.length));
    sent.push(record.pub_id);
    void this.#commit(record);
  }

  async #commit(record: CommitRecord): Promise<void> {
    const [result] = await this.publisher.commit([record]);
    if (result !== undefined) this.results.set(record.pub_id, result);
  }

  get sent(): ReadonlyMap<string, readonly string[]> {
    return this.#sent;
  }

  /** The lanes with how many serve them. */
  serversByLane(): number[] {
    return Array.from({ length: this.lanes }, (_, lane) => this.hub.servers({ use: 'commit', lane }).length);
  }

  /** Returns delivery serials and data of the stored records of a channel. */
  async stored(channel: string): Promise<{ serial: number; data: number }[]> {
    const address = { appId: 'shop', channel, kind: 'messages' } as const;
    const stream = (await this.store.heads([address])).get(streamName(address));
    if (stream === undefined) return [];
    const { streamKey, generation } = stream;
    const range = { streamKey, generation, fromSerial: 1, toSerial: 1_000_000, limit: 1_000_000 };
    return (await this.store.range(range)).map(({ deliverySerial, payload }) => ({
      serial: deliverySerial,
      data: Number((JSON.parse(payload ?? '{}') as { data: string }).data),
    }));
  }
}
