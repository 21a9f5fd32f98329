import { randomUUID } from 'node:crypto';
import type { CommitRecord, CommitRecordOf, CommitResult, FanOutRecordBody } from '@carillon/contracts';
import type { DurableStore, StoredMessage, StoredRecord, Stream } from '@carillon/history-store';
import { POLICY, verdicts, write } from './writing.js';

export const NOW_MS = Date.parse('2026-03-05T10:30:00Z');
export const HOUR_MS = 3_600_000;

type Fields<Op extends CommitRecord['op']> = Partial<CommitRecordOf<Op>>;

/** A channel with mutable messages and one or several simulated writers. */
export class LivingChannel {
  nowMs = NOW_MS;
  policy: CommitRecordOf<'create'>['policy'] = { ...POLICY, history_ms: HOUR_MS, versioned: true };

  constructor(
    readonly store: DurableStore,
    readonly name: string,
  ) {}

  get #base() {
    return { pub_id: randomUUID(), app_id: 'shop', channel: this.name, policy: this.policy } as const;
  }

  create(
    data: unknown,
    more: Fields<'create'> & { readonly extras?: object } = {},
  ): CommitRecordOf<'create'> {
    const { extras, ...fields } = more;
    const message_id = more.message_id ?? randomUUID();
    const frame = {
      event: 'note',
      channel: this.name,
      data,
      message_id,
      ...(extras === undefined ? {} : { extras }),
    };
    return { ...this.#base, op: 'create', message_id, message: JSON.stringify(frame), ...fields };
  }

  update(message_serial: string, more: Fields<'update'> = {}): CommitRecordOf<'update'> {
    const actor = { grant: 'any' } as const;
    return { ...this.#base, op: 'update', actor, message_id: randomUUID(), message_serial, ...more };
  }

  remove(message_serial: string, more: Fields<'delete'> = {}): CommitRecordOf<'delete'> {
    return { ...this.update(message_serial), ...more, op: 'delete' };
  }

  append(message_serial: string, data: string, more: Fields<'append'> = {}): CommitRecordOf<'append'> {
    return { ...this.update(message_serial), data, ...more, op: 'append' };
  }

  annotate(message_serial: string, type: string, more: Fields<'annotate'> = {}): CommitRecordOf<'annotate'> {
    return { ...this.#base, op: 'annotate', message_serial, type, max_frame_bytes: 0, ...more };
  }

  unannotate(
    message_serial: string,
    annotation_serial: string,
    more: Fields<'unannotate'> = {},
  ): CommitRecordOf<'unannotate'> {
    const actor = { grant: 'any' } as const;
    return {
      ...this.#base,
      op: 'unannotate',
      actor,
      message_serial,
      annotation_serial,
      max_frame_bytes: 0,
      ...more,
    };
  }

  write(...records: CommitRecord[]): Promise<readonly CommitResult[]> {
    return write(this.store, records, this.nowMs);
  }

  async one(record: CommitRecord): Promise<CommitResult> {
    const [result] = await this.write(record);
    if (result === undefined) throw new Error('there is no result');
    return result;
  }

  /** Returns the fan-out record of a committed record. */
  async told(record: CommitRecord): Promise<FanOutRecordBody> {
    const [judged] = await verdicts(this.store, [record], this.nowMs);
    if (judged?.fanOut === undefined || judged.fanOut === null) throw new Error('nobody is told');
    return judged.fanOut;
  }

  /** The serial of a new message. */
  async made(
    data: unknown = 'hello',
    more: Fields<'create'> & { readonly extras?: object } = {},
  ): Promise<string> {
    const { message_serial: serial } = await this.one(this.create(data, more));
    if (typeof serial !== 'string') throw new Error('the message has no serial');
    return serial;
  }

  async stream(): Promise<Stream> {
    const [stream] = (
      await this.store.heads([{ appId: 'shop', channel: this.name, kind: 'messages' }])
    ).values();
    if (stream === undefined) throw new Error('there is no stream');
    return stream;
  }

  async message(serial: string): Promise<StoredMessage | undefined> {
    const stream = await this.stream();
    const [message] = await this.store.messages({ ...stream, nowMs: this.nowMs, messageSerials: [serial] });
    return message;
  }

  async versions(serial: string, newestFirst = false): Promise<readonly StoredRecord[]> {
    const { streamKey, generation } = await this.stream();
    return this.store.versions({
      streamKey,
      generation,
      messageSerial: serial,
      sinceMs: null,
      newestFirst,
      after: null,
      limit: 10_000,
    });
  }

  async summaries(messageSerials?: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    const summaries = await this.store.summaries({
      ...(await this.stream()),
      nowMs: this.nowMs,
      belowNo: null,
      ...(messageSerials === undefined ? {} : { messageSerials }),
      limit: 1000,
    });
    return Object.fromEntries(summaries.map(({ type, summary }) => [type, JSON.parse(summary)]));
  }
}
