import type { RecordStore, Row } from '@carillon/records';
import type { IdleStreamsQuery, OpenStream } from '../model/living.js';
import type { MemberThere } from '../model/presence.js';
import type { Stream } from '../model/stream.js';
import type { DegradedQuery, MembersQuery, TailQuery } from '../port.js';
import type { Head } from './head.js';
import {
  bucketsOfLane,
  DEGRADED,
  openHint,
  openPartition,
  RECENT_MS,
  recentPartition,
  SETTLED_MS,
  slotOf,
  STALE_MS,
  STREAM_BUCKETS,
  thereBucket,
  therePartition,
} from './hints.js';
import { keyOfText, keyText, KIND, lastPart, rangeOf, serialText, sortOf } from './keys.js';
import { streamOf } from './locate.js';
import type { StreamReader, StreamRows } from './reader.js';
import { decodeMessage } from './message-rows.js';
import { decodeMember } from './rows.js';

/** Entries read together. */
const ENTRIES = 200;
/** Slots looked through together. */
const SLOTS = 16;
/** Streams that one look for a tail returns at most; the next one finds the rest. */
const MAX_BEHIND = 10_000;

type FoundStream = StreamRows & { readonly head: Head };

/** The stream key in front of a nonce. */
const keyOf = ({ sort }: Row): string => keyOfText(sort.slice(0, sort.indexOf('/')));

/** Finds streams by the index entries that commits left, and deletes entries that have become stale. */
export class StreamIndexes {
  constructor(
    private readonly reader: StreamReader,
    private readonly records: RecordStore,
    private readonly now: () => number,
  ) {}

  async behind({ lane, lanes, sinceMs }: TailQuery): Promise<Stream[]> {
    const nowMs = this.now();
    const last = slotOf(nowMs) + 1;
    const found = new Map<string, Stream>();
    const partitions: string[] = [];
    for (let slot = slotOf(Math.max(sinceMs, nowMs - RECENT_MS)); slot <= last; slot += 1)
      for (const bucket of bucketsOfLane(lane, lanes)) partitions.push(recentPartition(slot, bucket));
    for (let from = 0; from < partitions.length && found.size < MAX_BEHIND; from += SLOTS) {
      const looks = partitions.slice(from, from + SLOTS).map((partition) => this.#entriesOf(partition));
      const keys = (await Promise.all(looks))
        .flat()
        .filter(({ value }) => Number(value) % lanes === lane)
        .map(({ sort }) => keyOfText(sort));
      for (const one of await this.reader.heads([...new Set(keys)].filter((key) => !found.has(key)))) {
        const stream = streamOf(one);
        if (one.head.receiptAtMs >= sinceMs && stream.fannedOutSerial < stream.nextDeliverySerial - 1)
          found.set(stream.streamKey, stream);
      }
    }
    return [...found.values()];
  }

  async degraded({ after, limit }: DegradedQuery): Promise<Stream[]> {
    const found: Stream[] = [];
    // Behind all entries of that stream.
    let from = after === null ? null : `${keyText(after)}0`;
    while (found.length < limit) {
      const entries = await this.records.range({
        partition: DEGRADED,
        from,
        to: null,
        reverse: false,
        limit: ENTRIES,
      });
      const streams = await this.#confirmed(entries, ({ degraded }) => degraded);
      found.push(...streams.map(streamOf));
      const last = entries.at(-1);
      if (last === undefined || entries.length < ENTRIES) break;
      from = `${last.sort}0`;
    }
    return found.slice(0, limit);
  }

  async membersThere({ after, limit }: MembersQuery): Promise<MemberThere[]> {
    const found: MemberThere[] = [];
    const first = after === null ? 0 : thereBucket(after.streamKey);
    for (let bucket = first; bucket < STREAM_BUCKETS && found.length < limit; bucket += 1) {
      let from = after !== null && bucket === first ? keyText(after.streamKey) : null;
      for (;;) {
        const partition = therePartition(bucket);
        const entries = await this.records.range({
          partition,
          from,
          to: null,
          reverse: false,
          limit: ENTRIES,
        });
        for (const { head } of await this.#confirmed(entries, ({ there }) => there)) {
          await this.#addMembers(head, after, limit, found);
          if (found.length === limit) return found;
        }
        const last = entries.at(-1);
        if (last === undefined || entries.length < ENTRIES) break;
        from = `${last.sort}0`;
      }
    }
    return found;
  }

  async idleStreams({ lane, lanes, idleSinceMs, limit }: IdleStreamsQuery): Promise<OpenStream[]> {
    const found: OpenStream[] = [];
    const to = `${serialText(Math.max(0, idleSinceMs))}0`;
    for (const bucket of bucketsOfLane(lane, lanes)) {
      const partition = openPartition(bucket);
      const entries = await this.records.range({ partition, from: null, to, reverse: false, limit: ENTRIES });
      const own = new Map<string, Row[]>();
      for (const entry of entries) {
        const key = keyOfText(lastPart(entry.sort));
        if (Number(entry.value) % lanes === lane) own.set(key, [...(own.get(key) ?? []), entry]);
      }
      const streams = new Map(
        (await this.reader.heads([...own.keys()])).map((one) => [one.head.stream.streamKey, one]),
      );
      for (const [key, rows] of own) found.push(...(await this.#idleOf(streams.get(key), rows, idleSinceMs)));
    }
    return found.sort((one, other) => one.message.atMs - other.message.atMs).slice(0, limit);
  }

  /** Idle messages of a stream. Without one, its entries move to the moment when one may be idle. */
  async #idleOf(
    found: FoundStream | undefined,
    entries: readonly Row[],
    idleSinceMs: number,
  ): Promise<OpenStream[]> {
    const open = found === undefined ? [] : await this.#openMessages(found);
    const idle = open.filter(({ message }) => message.atMs <= idleSinceMs);
    if (idle.length > 0) return idle;
    const next = Math.min(...open.map(({ message }) => message.atMs));
    const [first] = entries;
    if (first !== undefined && open.length > 0) {
      const streamKey = keyOfText(lastPart(first.sort));
      const { expiresInMs: _never, ...row } = openHint(streamKey, Number(first.value), next);
      await this.records.put([{ ...row, version: 1, expiresAtMs: null }]);
      entries = entries.filter(({ sort }) => sort !== row.sort);
    }
    // The commit of a younger entry may not have happened yet.
    const settled = serialText(Math.max(0, this.now() - SETTLED_MS));
    await this.records.remove(entries.filter(({ sort }) => sort < settled));
    return [];
  }

  async #openMessages({ head }: FoundStream): Promise<OpenStream[]> {
    const { streamKey, generation, address, floorMessageSerial } = head.stream;
    const owner = { streamKey, generation };
    const open = await this.reader.range(streamKey, rangeOf(generation, KIND.open), { limit: Infinity });
    const sorts = open.map(({ sort }) => sortOf(generation, KIND.message, lastPart(sort)));
    const rows = await this.reader.get(streamKey, sorts);
    return [...rows.values()]
      .map((row) => ({ address, message: decodeMessage(owner, lastPart(row.sort), row).state }))
      .filter(({ message }) => message.isOpen && message.historySerial >= floorMessageSerial);
  }

  async #addMembers(
    head: Head,
    after: MembersQuery['after'],
    limit: number,
    found: MemberThere[],
  ): Promise<void> {
    const { streamKey, generation, address } = head.stream;
    const { appId, channel } = address;
    const { from: first, to } = rangeOf(generation, KIND.member);
    const isResumed = after?.streamKey === streamKey;
    const from = isResumed ? sortOf(generation, KIND.member, after.userId) : first;
    for await (const { sort, value } of this.reader.each(streamKey, { from, to }, { limit: Infinity })) {
      const { userId, present } = decodeMember({ streamKey, generation }, lastPart(sort), value);
      if (!present || (isResumed && userId === after.userId)) continue;
      found.push({ appId, channel, streamKey, userId });
      if (found.length === limit) return;
    }
  }

  /** The streams whose heads name their entry, in the order of the entries; other entries are deleted when they are old. */
  async #confirmed(entries: readonly Row[], nonceOf: (head: Head) => string | null): Promise<FoundStream[]> {
    const heads = await this.reader.heads([...new Set(entries.map(keyOf))]);
    const streams = new Map(heads.map((one) => [one.head.stream.streamKey, one]));
    const confirmed: FoundStream[] = [];
    const stale: Row[] = [];
    for (const entry of entries) {
      const stream = streams.get(keyOf(entry));
      if (stream !== undefined && nonceOf(stream.head) === lastPart(entry.sort)) confirmed.push(stream);
      else if (Number(entry.value) < this.now() - STALE_MS) stale.push(entry);
    }
    await this.records.remove(stale);
    return confirmed;
  }

  async #entriesOf(partition: string): Promise<Row[]> {
    const found: Row[] = [];
    for (let from: string | null = null; found.length < MAX_BEHIND;) {
      const rows = await this.records.range({ partition, from, to: null, reverse: false, limit: ENTRIES });
      found.push(...rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < ENTRIES) break;
      from = `${last.sort}0`;
    }
    return found;
  }
}
