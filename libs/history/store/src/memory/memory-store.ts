import type { Changes, Found, Wanted } from '../model/changes.js';
import type { FoundReceipt } from '../model/receipt.js';
import { MAX_CHECKPOINT_MEMBERS, reachesCheckpoint } from '../model/checkpoint.js';
import { laneOf } from '../model/route.js';
import { type Stream, streamName } from '../model/stream.js';
import { type DurableStore, type TailQuery, TRANSACTION_LIMITS, type Watermark } from '../port.js';
import { type AppSurvey, type Evicted, type PurgeRequest, type PurgeStep, sumEvicted } from '../retention.js';
import { findMessages } from './find-messages.js';
import { MemoryReads } from './memory-reads.js';
import type { MemoryStream } from './memory-stream.js';
import { MemoryReceipts } from './receipts.js';

const UNUSED_MS = 30 * 86_400_000;

const sumOf = (evicted: readonly Evicted[]): number => evicted.reduce((sum, { records }) => sum + records, 0);

/**
 * Streams in the memory of one process: for a single node, lost with the process. A batch is decided and written in
 * one event-loop step, which is the lock. Expired rows and rows over the caps of a stream are removed when others are
 * written, and in every stream by purges; the number of streams is bounded only by the channels in use.
 */
export class MemoryHistoryStore extends MemoryReads implements DurableStore {
  readonly limits = TRANSACTION_LIMITS;
  readonly #receipts = new MemoryReceipts();
  readonly #lanes = new Map<number, number>();
  #agreedLanes: number | null = null;
  /** When a purge came by the last time. */
  #purgedAtMs = 0;
  /** Position of the purge; null: at the beginning. */
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
      const held = this.streams.byKey(streamKey);
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
      .map((key) => this.streams.byKey(key)?.stream)
      .filter((stream) => stream !== undefined)
      .filter(
        ({ address: { appId, channel, kind }, fannedOutSerial, nextDeliverySerial }) =>
          kind === 'messages' &&
          laneOf(appId, channel, lanes) === lane &&
          fannedOutSerial < nextDeliverySerial - 1,
      );
  }

  /** Removes expired rows of a bounded number of streams; the next step continues after them. */
  async purge({ nowMs, batch, receiptsKeptMs, onlyCapped }: PurgeRequest): Promise<PurgeStep> {
    // Every write trims rows over the caps.
    if (onlyCapped === true) return { evicted: [], removed: 0, more: false };
    this.#purgedAtMs = nowMs;
    this.#round ??= this.streams.all();
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
      if (held.unusedSince(nowMs - UNUSED_MS)) this.streams.remove(held);
    }
    return { evicted: sumEvicted(evicted), removed: sumOf(evicted), more: true };
  }

  async survey(): Promise<readonly AppSurvey[]> {
    const apps = new Map<string, AppSurvey>();
    for (const held of this.streams.all()) {
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

  #find(wanted: Wanted): Found {
    const held = wanted.streams.map(({ address, create }) => ({
      name: streamName(address),
      held: this.streams.byAddress(address) ?? (create ? this.streams.create(address, wanted.nowMs) : null),
    }));
    const only = held[0]?.held;
    return {
      streams: new Map(held.map(({ name, held }) => [name, held?.stream ?? null])),
      receipts: this.#findReceipts(wanted),
      members: wanted.members
        .map(({ address, userId }) => this.streams.byAddress(address)?.presence.member(userId))
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
      ...(wanted.messages === undefined ? {} : { messages: findMessages(wanted.messages, this.streams) }),
    };
  }

  #findCrowds({ crowds }: Wanted): Found['crowds'] {
    const due = crowds.flatMap(({ address, events }) => {
      const held = this.streams.byAddress(address);
      if (held === undefined || !reachesCheckpoint(held.stream, events)) return [];
      const crowd = held.presence.crowd(held.stream);
      return crowd.length > MAX_CHECKPOINT_MEMBERS ? [] : [[streamName(address), crowd] as const];
    });
    return new Map(due);
  }

  #findReceipts({ receipts: { scopes, sinceMs } }: Wanted): Map<string, FoundReceipt> {
    const found = new Map<string, FoundReceipt>();
    for (const scope of scopes) {
      const receipt = this.#receipts.find(scope, sinceMs);
      if (receipt === undefined) continue;
      const record =
        receipt.deliverySerial === null
          ? undefined
          : this.streams.current(receipt)?.at(receipt.deliverySerial);
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
    for (const stream of changes.streams) this.streams.write(stream);
    for (const state of changes.messages?.states ?? []) this.streams.current(state)?.messages.set(state);
    for (const record of changes.records) this.streams.current(record)?.add(record);
    for (const event of changes.messages?.annotations ?? [])
      this.streams.byKey(event.streamKey)?.messages.annotate(event);
    for (const summary of changes.messages?.summaries ?? [])
      this.streams.byKey(summary.streamKey)?.messages.summarize(summary);
    for (const event of changes.presenceEvents) this.streams.current(event)?.presence.add(event);
    for (const member of changes.presenceMembers) this.streams.current(member)?.presence.setMember(member);
    for (const checkpoint of changes.presenceCheckpoints)
      this.streams.current(checkpoint)?.presence.addCheckpoint(checkpoint);
    for (const receipt of changes.receipts) this.#receipts.add(receipt, nowMs);
    for (const { streamKey } of changes.streams) this.streams.byKey(streamKey)?.trim(nowMs);
  }
}
