import type { CommitRecordOf } from '@carillon/contracts';
import type { StoredMessage, StoredRecord } from '@carillon/history-store';
import { created, mutate, type Mutation, nextSerial, payloadOf } from '../src/index.js';

export const NOW_MS = Date.parse('2026-03-05T10:30:00Z');

export const POLICY: Mutation['policy'] = {
  history_ms: null,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: true,
  cache: false,
  ai: null,
};

export const AI = {
  max_accumulated_message_bytes: 1000,
  max_appends_per_message: 50,
  max_open_streaming_messages: 2,
} as const;

const BASE = {
  pub_id: '0199d3a1-7c1e-7b52-9f10-2a6f0c1d9e77',
  app_id: 'shop',
  channel: 'chat',
  message_id: 'v-1',
  policy: POLICY,
} as const;

export const update = (more: Partial<CommitRecordOf<'update'>> = {}): CommitRecordOf<'update'> => ({
  ...BASE,
  op: 'update',
  actor: { grant: 'any' },
  message_serial: 'm',
  ...more,
});
export const remove = (more: Partial<CommitRecordOf<'delete'>> = {}): CommitRecordOf<'delete'> => ({
  ...update(),
  op: 'delete',
  ...more,
});
export const append = (
  data: string,
  more: Partial<CommitRecordOf<'append'>> = {},
): CommitRecordOf<'append'> => ({ ...update(), op: 'append', data, ...more });

/** A message with its records, as one writer after another makes them. */
export class Chain {
  message: StoredMessage;
  readonly records: StoredRecord[] = [];
  #serial = 1;

  constructor(frame: object = { data: 'hello' }, policy: Partial<Mutation['policy']> = {}, creator?: string) {
    const message = JSON.stringify({ event: 'note', channel: 'chat', ...frame });
    const record: CommitRecordOf<'create'> = {
      ...BASE,
      op: 'create',
      message,
      policy: { ...POLICY, ...policy },
      ...(creator === undefined ? {} : { actor: { client_id: creator } }),
    };
    const stream = { streamKey: '1', generation: 1, nextHistorySerial: 7 };
    this.message = created(
      record,
      'note',
      stream as Parameters<typeof created>[2],
      this.#place(null, NOW_MS),
    );
    this.records.push(this.#record(message));
  }

  /** The refusal, or null when the change was made. */
  apply(mutation: Mutation, nowMs: number = NOW_MS, writerId = 'w', open = 0) {
    const place = this.#place(this.message.versionSerial, nowMs, writerId);
    const outcome = mutate(
      this.message,
      { ...mutation, message_serial: this.message.messageSerial },
      place,
      open,
    );
    if (!outcome.ok) return outcome.refusal;
    this.message = outcome.message;
    this.records.push(this.#record(payloadOf(this.message, mutation.op === 'append' ? mutation.data : null)));
    return null;
  }

  #place(before: string | null, nowMs: number, writerId = 'w') {
    const deliverySerial = this.#serial;
    this.#serial += 1;
    const versionSerial = nextSerial(before, { nowMs, writerId, count: deliverySerial });
    return { versionSerial, deliverySerial, atMs: nowMs, keepUntilMs: Number.MAX_SAFE_INTEGER };
  }

  #record(payload: string): StoredRecord {
    const { message } = this;
    return {
      streamKey: '1',
      generation: 1,
      deliverySerial: message.deliverySerial,
      historySerial: message.action === 'create' ? message.historySerial : null,
      rootHistorySerial: message.historySerial,
      publishedAtMs: message.atMs,
      historyUntilMs: null,
      keepUntilMs: message.keepUntilMs,
      action: message.action,
      messageSerial: message.messageSerial,
      versionSerial: message.versionSerial,
      messageId: 'm-1',
      eventName: message.name,
      actorClientId: message.clientId,
      payload,
      payloadSize: Buffer.byteLength(payload),
      tombstone: false,
    };
  }
}
