import type { CommitRecord } from '@carillon/contracts';
import {
  type Changes,
  type Found,
  fitsCheckpoint,
  type FoundReceipt,
  isCheckpoint,
  type NewCheckpoint,
  type OperatorEntry,
  type PresenceEvent,
  type PresenceMember,
  type PresenceStanding,
  type Receipt,
  type Stream,
  type StreamAddress,
  type NewRecord,
  streamName,
} from '@carillon/history-store';
import { TakenSummaries } from './known-summaries.js';
import { MessageDraft } from './message-draft.js';
import { fingerprintOf, placeToKeep, receiptScope } from './receipts.js';
import { PUB_ID_TTL_MS } from './wanted.js';

/** Inputs of a decision besides the store. */
export interface DecisionContext {
  readonly nowMs: number;
  readonly writerId: string;
  /** The process, as it is named in the state of a stream. */
  readonly nodeId: string;
  /** A fresh UUID v4. */
  readonly newStreamId: () => string;
  /** A number that is never given again under this writer id. */
  readonly nextCount: () => number;
  /** Summaries of annotations that need not be read; absent: none. */
  readonly summaries?: TakenSummaries;
  /** The highest serial of the stream that this writer has handed over; 0: none. */
  readonly handedOver: (stream: Stream) => number;
}

/** Accumulated changes of a batch; every record sees the effects of those before it. */
export class Draft {
  readonly #streams = new Map<string, Stream>();
  readonly #receipts = new Map<string, FoundReceipt>();
  readonly #members = new Map<string, PresenceMember>();
  readonly #newMembers = new Set<string>();
  readonly #newReceipts = new Set<string>();
  readonly #records: NewRecord[] = [];
  readonly #events: PresenceEvent[] = [];
  readonly #crowds = new Map<string, Map<string, PresenceStanding>>();
  readonly #checkpoints: NewCheckpoint[] = [];
  readonly #log: OperatorEntry[] = [];
  readonly messages: MessageDraft;

  constructor(
    readonly found: Found,
    readonly context: DecisionContext,
  ) {
    this.messages = new MessageDraft(found, context.summaries ?? new TakenSummaries());
    for (const [scope, receipt] of found.receipts) this.#receipts.set(scope, receipt);
    for (const member of found.members) this.#members.set(memberName(member, member.userId), member);
    for (const [name, crowd] of found.crowds)
      this.#crowds.set(name, new Map(crowd.map((standing) => [standing.userId, standing])));
  }

  /** Null: the stream does not exist. Undefined: another transaction holds it. */
  stream(address: StreamAddress): Stream | null | undefined {
    return this.#streams.get(streamName(address)) ?? this.found.streams.get(streamName(address));
  }

  setStream(stream: Stream): void {
    this.#streams.set(streamName(stream.address), stream);
  }

  receipt(scope: string): FoundReceipt | undefined {
    return this.#receipts.get(scope);
  }

  member(stream: Stream, userId: string): PresenceMember | undefined {
    return this.#members.get(memberName(stream, userId));
  }

  setMember(member: PresenceMember): void {
    const name = memberName(member, member.userId);
    this.#members.set(name, member);
    this.#newMembers.add(name);
  }

  addRecord(record: NewRecord): void {
    this.#records.push(record);
  }

  /** With the checkpoint that is due after it. */
  addEvent({ address }: Stream, event: PresenceEvent): void {
    this.#events.push(event);
    const crowd = this.#crowds.get(streamName(address));
    if (crowd === undefined) return;
    const { userId, event: what, serial, atMs, streamKey, generation, keepUntilMs } = event;
    if (what === 'member_removed') crowd.delete(userId);
    else crowd.set(userId, { userId, event: what, serial, atMs });
    if (!isCheckpoint(serial)) return;
    const members = [...crowd.values()];
    if (fitsCheckpoint(members))
      this.#checkpoints.push({ streamKey, generation, serial, keepUntilMs, members });
  }

  addLog(entry: OperatorEntry): void {
    this.#log.push(entry);
  }

  /** Until when the receipt of a record answers. */
  receiptUntilMs(record: CommitRecord): number {
    const ttlMs = 'idem' in record ? record.idem?.ttl_ms : undefined;
    return Math.min(Number.MAX_SAFE_INTEGER, this.context.nowMs + (ttlMs ?? PUB_ID_TTL_MS));
  }

  addReceipt(
    record: CommitRecord,
    stream: Stream,
    outcome: Partial<
      Pick<
        FoundReceipt,
        'deliverySerial' | 'extra' | 'historySerial' | 'messageSerial' | 'publishedAtMs' | 'versionSerial'
      >
    >,
  ): void {
    const scope = receiptScope(record);
    this.#newReceipts.add(scope);
    this.#receipts.set(scope, {
      scope,
      pubId: record.pub_id,
      atMs: this.context.nowMs,
      untilMs: this.receiptUntilMs(record),
      streamKey: stream.streamKey,
      generation: stream.generation,
      deliverySerial: null,
      fingerprint: fingerprintOf(record),
      extra: null,
      historySerial: null,
      publishedAtMs: null,
      messageSerial: null,
      versionSerial: null,
      ...outcome,
      ...placeToKeep(outcome, this.context.nowMs),
    });
  }

  changes(): Changes {
    const receipts = [...this.#newReceipts].map((scope) => this.#receipts.get(scope));
    const members = [...this.#newMembers].map((name) => this.#members.get(name));
    return {
      streams: [...this.#streams.values()].map((stream) => this.#asWritten(stream)),
      records: this.#records,
      receipts: receipts.filter((receipt): receipt is FoundReceipt & Receipt => receipt !== undefined),
      presenceEvents: this.#events,
      presenceMembers: members.filter((member) => member !== undefined),
      presenceCheckpoints: this.#checkpoints,
      operatorLog: this.#log,
      ...this.messages.changes(),
    };
  }

  /** Includes the current fan-out progress in a stream row that is written anyway. */
  #asWritten(stream: Stream): Stream {
    const handed = Math.min(this.context.handedOver(stream), stream.nextDeliverySerial - 1);
    const fannedOutSerial = Math.max(stream.fannedOutSerial, handed);
    return { ...stream, fannedOutSerial, updatedAtMs: this.context.nowMs };
  }
}

const memberName = ({ streamKey, generation }: { streamKey: string; generation: number }, userId: string) =>
  `${streamKey}\0${generation}\0${userId}`;
