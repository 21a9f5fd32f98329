import { randomUUID } from 'node:crypto';
import type { Changes, Found, Wanted } from '../model/changes.js';
import type { FoundReceipt } from '../model/receipt.js';
import { MAX_CHECKPOINT_MEMBERS, type PresenceCheckpoint, reachesCheckpoint } from '../model/checkpoint.js';
import type { MemberThere, PresenceEvent } from '../model/presence.js';
import type { AnnotationEvent, AnnotationSummary } from '../model/annotation.js';
import type {
  AnnotationsQuery,
  IdleStreamsQuery,
  MessagesQuery,
  OpenStream,
  SummariesQuery,
  VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { StoredRecord } from '../model/record.js';
import { laneOf } from '../model/route.js';
import { newStream, type Stream, type StreamAddress, streamName } from '../model/stream.js';
import {
  type CheckpointQuery,
  type DegradedQuery,
  type DurableStore,
  type MembersQuery,
  type PageQuery,
  type RangeQuery,
  type Retained,
  type TailQuery,
  TRANSACTION_LIMITS,
  type Watermark,
} from '../port.js';
import { type AppSurvey, type Evicted, type PurgeRequest, type PurgeStep, sumEvicted } from '../retention.js';
import { findMessages } from './find-messages.js';
import { MemoryStream } from './memory-stream.js';
import { MemoryReceipts } from './receipts.js';

const UNUSED_MS = 30 * 86_400_000;

const byStreamAndUser = (one: MemberThere, other: MemberThere): number =>
  Number(one.streamKey) - Number(other.streamKey) || (one.userId < other.userId ? -1 : 1);

const sumOf = (evicted: readonly Evicted[]): number => evicted.reduce((sum, { records }) => sum + records, 0);

/**
 * Streams in the memory of one process: for a single node, and gone with it. A batch is decided and written in one
 * step of the event loop, which is the lock. What is expired or over the caps of its stream is let go as others are
 * written, and of every stream as a purge comes by; the number of streams is bounded by the channels in use only.
 */
export class MemoryHistoryStore implements DurableStore {
  readonly limits = TRANSACTION_LIMITS;
  readonly #byName = new Map<string, MemoryStream>();
  readonly #byKey = new Map<string, MemoryStream>();
  /** Keys of streams that are degraded. */
  readonly #degraded = new Set<string>();
  readonly #receipts = new MemoryReceipts();
  readonly #lanes = new Map<number, number>();
  #agreedLanes: number | null = null;
  #made = 0;
  /** When a purge came by the last time. */
  #purgedAtMs = 0;
  /** Where a purge goes on; null: at the beginning. */
  #round: Iterator<MemoryStream> | null = null;

  async connect(): Promise<void> {}

  async commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    const decision = decide(this.#find(wanted));
    this.#write(decision.changes, wanted.nowMs);
    return decision;
  }

  async raiseWatermarks(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly nowMs: number },
  ): Promise<void> {
    for (const { streamKey, generation, serial } of marks) {
      const held = this.#byKey.get(streamKey);
      if (held?.stream.generation !== generation || held.stream.fannedOutSerial >= serial) continue;
      held.stream = { ...held.stream, fannedOutSerial: serial };
    }
    for (const lane of seen.lanes) this.#lanes.set(lane, seen.nowMs);
  }

  async laneSeenAtMs(lane: number): Promise<number | null> {
    return this.#lanes.get(lane) ?? null;
  }

  async agreedLanes(): Promise<number | null> {
    return this.#agreedLanes;
  }

  async agreeOnLanes(lanes: number, replace: boolean): Promise<number> {
    if (replace) this.#agreedLanes = lanes;
    this.#agreedLanes ??= lanes;
    return this.#agreedLanes;
  }

  async behind({ lane, lanes, sinceMs }: TailQuery): Promise<readonly Stream[]> {
    return [...this.#receipts.streamsSince(sinceMs)]
      .map((key) => this.#byKey.get(key)?.stream)
      .filter((stream) => stream !== undefined)
      .filter(
        ({ address: { appId, channel, kind }, fannedOutSerial, nextDeliverySerial }) =>
          kind === 'messages' &&
          laneOf(appId, channel, lanes) === lane &&
          fannedOutSerial < nextDeliverySerial - 1,
      );
  }

  async degraded({ after, limit }: DegradedQuery): Promise<readonly Stream[]> {
    return [...this.#degraded]
      .map(Number)
      .filter((key) => key > Number(after ?? 0))
      .sort((one, other) => one - other)
      .flatMap((key) => this.#byKey.get(String(key))?.stream ?? [])
      .slice(0, limit);
  }

  async heads(addresses: readonly StreamAddress[]): Promise<ReadonlyMap<string, Stream>> {
    const found = new Map<string, Stream>();
    for (const address of addresses) {
      const held = this.#byName.get(streamName(address));
      if (held !== undefined) found.set(streamName(address), held.stream);
    }
    return found;
  }

  async range(query: RangeQuery): Promise<readonly StoredRecord[]> {
    return this.#current(query)?.range(query) ?? [];
  }

  async page(query: PageQuery): Promise<readonly StoredRecord[]> {
    return this.#current(query.stream)?.page(query) ?? [];
  }

  async presenceEvents(query: PageQuery): Promise<readonly PresenceEvent[]> {
    return this.#current(query.stream)?.events(query) ?? [];
  }

  async presenceCheckpoint(query: CheckpointQuery): Promise<PresenceCheckpoint | null> {
    return this.#current(query)?.checkpoint(query) ?? null;
  }

  async membersThere({ after, limit }: MembersQuery): Promise<readonly MemberThere[]> {
    const first = Number(after?.streamKey ?? 0);
    return [...this.#byKey.values()]
      .flatMap((held) => held.membersThere())
      .filter(
        ({ streamKey, userId }) =>
          Number(streamKey) > first || (Number(streamKey) === first && userId > (after?.userId ?? '')),
      )
      .sort(byStreamAndUser)
      .slice(0, limit);
  }

  async retained(stream: Stream, nowMs: number): Promise<Retained> {
    return this.#current(stream)?.retained(nowMs) ?? { oldest: null, newest: null, messages: 0, bytes: 0 };
  }

  /** Lets go of what is expired in a bounded number of streams; the next step goes on behind them. */
  async purge({ nowMs, batch, receiptsKeptMs, onlyCapped }: PurgeRequest): Promise<PurgeStep> {
    // Every write trims what it has made too much.
    if (onlyCapped === true) return { evicted: [], removed: 0, more: false };
    this.#purgedAtMs = nowMs;
    this.#round ??= this.#byKey.values();
    const evicted: Evicted[] = [];
    for (let looked = 0; looked < batch; looked += 1) {
      const next = this.#round.next();
      if (next.done === true) {
        this.#round = null;
        const removed = this.#receipts.removeBefore(nowMs - receiptsKeptMs, nowMs);
        return { evicted: sumEvicted(evicted), removed: removed + sumOf(evicted), more: false };
      }
      const held = next.value;
      const { appId, kind } = held.stream.address;
      const gone = held.trim(nowMs, 1);
      if (gone.records > 0) evicted.push({ appId, kind, ...gone });
      if (held.unusedSince(nowMs - UNUSED_MS)) this.#remove(held);
    }
    return { evicted: sumEvicted(evicted), removed: sumOf(evicted), more: true };
  }

  async survey(): Promise<readonly AppSurvey[]> {
    const apps = new Map<string, AppSurvey>();
    for (const held of this.#byKey.values()) {
      const { stream } = held;
      const { appId, kind } = stream.address;
      const { messages, bytes } = held.retained(this.#purgedAtMs);
      const before = apps.get(`${appId}\0${kind}`);
      apps.set(`${appId}\0${kind}`, {
        appId,
        kind,
        records: messages + (before?.records ?? 0),
        bytes: bytes + (before?.bytes ?? 0),
        degraded: Number(stream.durable.state === 'degraded') + (before?.degraded ?? 0),
        resetRequired: Number(stream.durable.state === 'reset_required') + (before?.resetRequired ?? 0),
      });
    }
    return [...apps.values()];
  }

  #remove({ stream }: MemoryStream): void {
    this.#byKey.delete(stream.streamKey);
    this.#degraded.delete(stream.streamKey);
    this.#byName.delete(streamName(stream.address));
  }

  #current({ streamKey, generation }: Pick<Stream, 'streamKey' | 'generation'>): MemoryStream | undefined {
    const held = this.#byKey.get(streamKey);
    return held?.stream.generation === generation ? held : undefined;
  }

  #find(wanted: Wanted): Found {
    const held = wanted.streams.map(({ address, create }) => ({
      name: streamName(address),
      held: this.#byName.get(streamName(address)) ?? (create ? this.#create(address, wanted.nowMs) : null),
    }));
    const only = held[0]?.held;
    return {
      streams: new Map(held.map(({ name, held }) => [name, held?.stream ?? null])),
      receipts: this.#findReceipts(wanted),
      members: wanted.members
        .map(({ address, userId }) => this.#byName.get(streamName(address))?.member(userId))
        .filter((member) => member !== undefined),
      crowds: this.#findCrowds(wanted),
      purgeable: wanted.below === null ? null : (only?.purgeable(wanted.below, wanted.nowMs) ?? null),
      inspections: wanted.inspect
        ? new Map(
            held.flatMap(({ name, held }) => (held === null ? [] : [[name, held.inspect(wanted.nowMs)]])),
          )
        : new Map(),
      ...(wanted.messageIdAt === undefined
        ? {}
        : { messageIdAt: only?.at(wanted.messageIdAt)?.messageId ?? null }),
      ...(wanted.messages === undefined
        ? {}
        : { messages: findMessages(wanted.messages, this.#byName, this.#byKey) }),
    };
  }

  async messages({ messageSerials, nowMs, ...stream }: MessagesQuery): Promise<readonly StoredMessage[]> {
    const held = this.#current(stream);
    if (held === undefined) return [];
    return messageSerials.flatMap((serial) => held.messages.readable(serial, held.stream, nowMs) ?? []);
  }

  async versions(query: VersionsQuery): Promise<readonly StoredRecord[]> {
    return (this.#current(query)?.messages.versions(query) ?? []).map(
      ({ operation: _known, ...record }) => record,
    );
  }

  async annotations(query: AnnotationsQuery): Promise<readonly AnnotationEvent[]> {
    return this.#byKey.get(query.streamKey)?.messages.annotations(query) ?? [];
  }

  async summaries({
    nowMs,
    belowNo,
    messageSerials,
    limit,
    ...stream
  }: SummariesQuery): Promise<readonly AnnotationSummary[]> {
    const held = this.#current(stream);
    if (held === undefined) return [];
    const all = held.messages
      .summaries(held.stream, nowMs)
      .filter(
        ({ lastNo, messageSerial }) =>
          (belowNo === null || lastNo < belowNo) && messageSerials?.includes(messageSerial) !== false,
      );
    return all.sort((one, other) => other.lastNo - one.lastNo).slice(0, limit);
  }

  async idleStreams({ lane, lanes, idleSinceMs, limit }: IdleStreamsQuery): Promise<readonly OpenStream[]> {
    const found: OpenStream[] = [];
    for (const { stream, messages } of this.#byKey.values()) {
      const { address } = stream;
      if (stream.openStreams === 0 || laneOf(address.appId, address.channel, lanes) !== lane) continue;
      for (const message of messages.open())
        if (message.atMs <= idleSinceMs) found.push({ address, message });
    }
    return found.sort((one, other) => one.message.atMs - other.message.atMs).slice(0, limit);
  }

  #findCrowds({ crowds }: Wanted): Found['crowds'] {
    const due = crowds.flatMap(({ address, events }) => {
      const held = this.#byName.get(streamName(address));
      if (held === undefined || !reachesCheckpoint(held.stream, events)) return [];
      const crowd = held.crowd();
      return crowd.length > MAX_CHECKPOINT_MEMBERS ? [] : [[streamName(address), crowd] as const];
    });
    return new Map(due);
  }

  #create(address: StreamAddress, nowMs: number): MemoryStream {
    this.#made += 1;
    const key = String(this.#made);
    const made = new MemoryStream(newStream(address, key, randomUUID(), nowMs));
    this.#byName.set(streamName(address), made);
    this.#byKey.set(key, made);
    return made;
  }

  #writeStream(stream: Stream): void {
    const { streamKey, address, durable } = stream;
    this.#byKey.get(streamKey)?.write(stream);
    if (address.kind === 'messages' && durable.state === 'degraded') this.#degraded.add(streamKey);
    else this.#degraded.delete(streamKey);
  }

  #findReceipts({ receipts: { scopes, sinceMs } }: Wanted): Map<string, FoundReceipt> {
    const found = new Map<string, FoundReceipt>();
    for (const scope of scopes) {
      const receipt = this.#receipts.find(scope, sinceMs);
      if (receipt === undefined) continue;
      const record =
        receipt.deliverySerial === null ? undefined : this.#current(receipt)?.at(receipt.deliverySerial);
      found.set(scope, {
        ...receipt,
        historySerial: record?.historySerial ?? record?.rootHistorySerial ?? null,
        publishedAtMs: record?.publishedAtMs ?? null,
        messageSerial: record?.messageSerial ?? null,
        versionSerial: record?.versionSerial ?? null,
      });
    }
    return found;
  }

  #write(changes: Changes, nowMs: number): void {
    for (const stream of changes.streams) this.#writeStream(stream);
    for (const state of changes.messages?.states ?? []) this.#current(state)?.messages.set(state);
    for (const record of changes.records) this.#current(record)?.add(record);
    for (const event of changes.messages?.annotations ?? [])
      this.#byKey.get(event.streamKey)?.messages.annotate(event);
    for (const summary of changes.messages?.summaries ?? [])
      this.#byKey.get(summary.streamKey)?.messages.summarize(summary);
    for (const event of changes.presenceEvents) this.#current(event)?.addEvent(event);
    for (const member of changes.presenceMembers) this.#current(member)?.setMember(member);
    for (const checkpoint of changes.presenceCheckpoints)
      this.#current(checkpoint)?.addCheckpoint(checkpoint);
    for (const receipt of changes.receipts) this.#receipts.add(receipt, nowMs);
    for (const { streamKey } of changes.streams) this.#byKey.get(streamKey)?.trim(nowMs);
  }
}
