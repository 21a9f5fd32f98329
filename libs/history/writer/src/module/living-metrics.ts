import { isOver, streamStatus } from '@carillon/history-ai';
import { methodOf } from '@carillon/history-annotations';
import type { CommitRecord, CommitRecordOf, CommitResult } from '@carillon/contracts';
import type { Mutation } from '@carillon/history-messages';
import { rawMember } from '@carillon/protocol';
import type { Metrics } from '@carillon/runtime';

/** Limit of open AI streams with a known start; the duration of others is not measured. */
const MAX_STREAMS = 100_000;

type Versioned = CommitRecordOf<'create'> | Mutation;

/** Metrics of mutable messages, annotations and AI streams. */
export class LivingMetrics {
  /** When streams began here, by app, channel and message. */
  readonly #streams = new Map<string, number>();

  constructor(
    private readonly metrics: Metrics,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  answered(record: CommitRecord, result: CommitResult): void {
    switch (record.op) {
      case 'create':
      case 'update':
      case 'delete':
      case 'append':
        return this.#version(record, result);
      case 'annotate':
      case 'unannotate':
        return this.#annotation(record, result);
      case 'mark':
      case 'presence':
      case 'publish':
      case 'purge':
      case 'reset':
      default:
    }
  }

  #version(record: Versioned, { status, message_serial: created }: CommitResult): void {
    const { app_id, op } = record;
    this.metrics
      .counter('versioned_message_mutations_total')
      .for({ app_id, action: op, result: status })
      .add();
    if (status !== 'applied') return;
    const isAppend = op === 'append';
    if (isAppend) this.metrics.counter('appends_received_total').for({ app_id }).add();
    if (record.policy.ai === null) return;
    if (isAppend)
      this.metrics.counter('ai_stream_bytes_total').for({ app_id }).add(Buffer.byteLength(record.data));
    const serial = op === 'create' ? (created ?? '') : record.message_serial;
    const extras = op === 'create' ? rawMember(record.message, 'extras') : (record.extras ?? null);
    const is = streamStatus(extras);
    const key = `${app_id}\0${record.channel}\0${serial}`;
    if (is === 'streaming') this.#opened(app_id, key);
    else if (isOver(is)) this.#ended(app_id, key);
  }

  #opened(app_id: string, key: string): void {
    if (this.#streams.has(key) || this.#streams.size >= MAX_STREAMS) return;
    this.#streams.set(key, this.nowMs());
    for (const gauge of ['ai_active_streams', 'active_streams'] as const)
      this.metrics.gauge(gauge).for({ app_id }).add();
  }

  #ended(app_id: string, key: string): void {
    const sinceMs = this.#streams.get(key);
    if (sinceMs === undefined) return;
    this.#streams.delete(key);
    for (const gauge of ['ai_active_streams', 'active_streams'] as const)
      this.metrics.gauge(gauge).for({ app_id }).subtract();
    this.metrics
      .histogram('ai_stream_duration_seconds')
      .for({ app_id })
      .observe((this.nowMs() - sinceMs) / 1000);
  }

  /** Labelled by aggregation method only: the rest of a type is free text. */
  #annotation(record: CommitRecordOf<'annotate' | 'unannotate'>, { status, extra }: CommitResult): void {
    if (status !== 'applied') return;
    const { app_id } = record;
    const type = record.op === 'annotate' ? record.type : typeIn(extra);
    const labels = { app_id, type: methodOf(type) ?? 'unknown' };
    const name = record.op === 'annotate' ? 'annotations_published_total' : 'annotations_deleted_total';
    this.metrics.counter(name).for(labels).add();
  }
}

const typeIn = (extra: unknown): string =>
  typeof extra === 'object' && extra !== null && 'annotation_type' in extra
    ? String(extra.annotation_type)
    : '';
