import { StoreFailure } from './failures.js';
import type { Changes, Found, Wanted } from './model/changes.js';
import type { AnnotationEvent, AnnotationSummary } from './model/annotation.js';
import type {
  AnnotationsQuery,
  IdleStreamsQuery,
  MessagesQuery,
  OpenStream,
  SummariesQuery,
  VersionsQuery,
} from './model/living.js';
import type { StoredMessage } from './model/message.js';
import type { PresenceCheckpoint } from './model/checkpoint.js';
import type { MemberThere, PresenceEvent } from './model/presence.js';
import type { StoredRecord } from './model/record.js';
import type { Stream, StreamAddress } from './model/stream.js';
import type {
  BatchLimits,
  CheckpointQuery,
  DegradedQuery,
  DurableStore,
  MembersQuery,
  PageQuery,
  RangeQuery,
  Retained,
  TailQuery,
  Watermark,
} from './port.js';
import type { AppSurvey, PurgeRequest, PurgeStep } from './retention.js';

/**
 * A store that connects at its first use: for processes that need none unless an app enables its history. Until it is
 * connected, calls reject with a temporary `StoreFailure`, and each starts a new attempt.
 */
export class OnDemandStore implements DurableStore {
  #connected = false;
  #connecting: Promise<void> | null = null;

  constructor(
    private readonly store: DurableStore,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get limits(): BatchLimits {
    return this.store.limits;
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Has it connected without waiting for a use. */
  open(): void {
    if (!this.#connected && this.#connecting === null) this.connect().catch(this.onFailure);
  }

  connect(): Promise<void> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<void> {
    try {
      await this.store.connect();
      this.#connected = true;
    } finally {
      this.#connecting = null;
    }
  }

  #ready(): DurableStore {
    if (this.#connected) return this.store;
    this.open();
    throw new StoreFailure('connection', 'the history store is being opened');
  }

  async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    return this.#ready().commit(wanted, decide);
  }

  async raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void> {
    // A lane that is looked after is no use of the store.
    if (this.#connected || marks.length > 0) await this.#ready().raiseWatermarks(marks, seen);
  }

  async laneSeenAtMs(lane: number): Promise<number | null> {
    return this.#connected ? this.store.laneSeenAtMs(lane) : null;
  }

  /** An unused store accepts any number of lanes. */
  async agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    return this.#connected ? this.store.agreeOnLanes(lanes, replace) : lanes;
  }

  async agreedLanes(): Promise<number | null> {
    return this.#connected ? this.store.agreedLanes() : null;
  }

  async behind(query: TailQuery): Promise<readonly Stream[]> {
    return this.#connected ? this.store.behind(query) : [];
  }

  /** Verification of degraded streams does not connect the store. */
  async degraded(query: DegradedQuery): Promise<readonly Stream[]> {
    return this.#connected ? this.store.degraded(query) : [];
  }

  async heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    return this.#ready().heads(addresses);
  }

  async range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    return this.#ready().range(query);
  }

  async page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.#ready().page(query);
  }

  async retained(stream: Stream, nowMs: number): Promise<Retained> {
    return this.#ready().retained(stream, nowMs);
  }

  async presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.#ready().presenceEvents(query);
  }

  async presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    return this.#ready().presenceCheckpoint(query);
  }

  async membersThere(query: MembersQuery): Promise<readonly MemberThere[] | null> {
    return this.#connected ? this.store.membersThere(query) : null;
  }

  async messages(query: MessagesQuery): Promise<readonly StoredMessage[]> {
    return this.#ready().messages(query);
  }

  async versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return this.#ready().versions(query);
  }

  async annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.#ready().annotations(query);
  }

  async summaries(query: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    return this.#ready().summaries(query);
  }

  /** The search for idle streams does not connect the store. */
  async idleStreams(query: IdleStreamsQuery): Promise<readonly OpenStream[]> {
    return this.#connected ? this.store.idleStreams(query) : [];
  }

  /** A purge is no use of the store. */
  async purge(request: PurgeRequest): Promise<PurgeStep | null> {
    return this.#connected ? this.store.purge(request) : { evicted: [], removed: 0, more: false };
  }

  async survey(): Promise<readonly AppSurvey[]> {
    return this.#connected ? this.store.survey() : [];
  }
}
