import type { AnnotationEvent, AnnotationSummary, FoundAnnotation, NewSummary } from '../model/annotation.js';
import {
  type AnnotationsQuery,
  type FoundOperation,
  isReadableMessage,
  type NewAnnotation,
  type VersionsQuery,
} from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import type { NewRecord } from '../model/record.js';
import type { Stream } from '../model/stream.js';

/** One message with everything that goes when it goes. */
interface Kept {
  state: StoredMessage;
  readonly versions: NewRecord[];
  readonly annotations: NewAnnotation[];
  readonly summaries: Map<string, AnnotationSummary>;
}

/** Mutable messages of one stream, with their versions and annotations. */
export class MemoryMessages {
  readonly #kept = new Map<string, Kept>();
  readonly #operations = new Map<string, FoundOperation>();
  readonly #annotations = new Map<number, NewAnnotation>();
  /** Delete events by the numbers of the annotations they delete. */
  readonly #takenBack = new Map<number, AnnotationEvent>();

  state(messageSerial: string): StoredMessage | undefined {
    return this.#kept.get(messageSerial)?.state;
  }

  operation(hash: string): FoundOperation | undefined {
    return this.#operations.get(hash);
  }

  annotation(annotationSerial: string): FoundAnnotation | undefined {
    const created = this.#annotations.get(Number(annotationSerial.slice(-20)));
    if (created?.annotationSerial !== annotationSerial) return undefined;
    return { created, deleted: this.#takenBack.get(created.annotationNo) ?? null };
  }

  summary(messageSerial: string, type: string): AnnotationSummary | undefined {
    return this.#kept.get(messageSerial)?.summaries.get(type);
  }

  /** The number of types that a message has annotations of. */
  types(messageSerial: string): number {
    return this.#kept.get(messageSerial)?.summaries.size ?? 0;
  }

  /** Stored data is kept unless new data is given. */
  set(state: StoredMessage): void {
    const kept = this.#kept.get(state.messageSerial);
    if (kept === undefined) {
      this.#kept.set(state.messageSerial, { state, versions: [], annotations: [], summaries: new Map() });
    } else kept.state = state;
  }

  addVersion(record: NewRecord): void {
    const { operation, messageSerial, versionSerial } = record;
    this.#kept.get(messageSerial ?? '')?.versions.push(record);
    if (operation === undefined) return;
    this.#operations.set(operation.hash, {
      ...operation,
      streamKey: record.streamKey,
      deliverySerial: record.deliverySerial,
      versionSerial: versionSerial ?? '',
      atMs: record.publishedAtMs,
    });
  }

  annotate(event: NewAnnotation): void {
    this.#kept.get(event.messageSerial)?.annotations.push(event);
    this.#annotations.set(event.annotationNo, event);
    if (event.targetNo !== null) this.#takenBack.set(event.targetNo, event);
  }

  /** Without a text, the stored text is kept. */
  summarize(row: NewSummary): void {
    const summaries = this.#kept.get(row.messageSerial)?.summaries;
    const summary = row.summary ?? summaries?.get(row.type)?.summary ?? '{}';
    summaries?.set(row.type, { ...row, summary });
  }

  readable(messageSerial: string, stream: Stream, nowMs: number): StoredMessage | undefined {
    const state = this.state(messageSerial);
    return state !== undefined && isReadableMessage(state, stream, nowMs) ? state : undefined;
  }

  versions({ messageSerial, sinceMs, newestFirst, after, limit }: VersionsQuery): NewRecord[] {
    const versions = (this.#kept.get(messageSerial)?.versions ?? []).filter(
      ({ versionSerial, publishedAtMs }) =>
        (sinceMs === null || publishedAtMs > sinceMs) &&
        (after === null || isBehind(versionSerial ?? '', after, newestFirst)),
    );
    return (newestFirst ? versions.reverse() : versions).slice(0, limit);
  }

  annotations({ messageSerial, type, sinceMs, afterNo, limit }: AnnotationsQuery): AnnotationEvent[] {
    const all =
      messageSerial === null
        ? [...this.#annotations.values()]
        : (this.#kept.get(messageSerial)?.annotations ?? []);
    return all
      .filter(
        (event) =>
          event.annotationNo > afterNo &&
          (type === null || event.type === type) &&
          (sinceMs === null || event.atMs > sinceMs),
      )
      .slice(0, limit)
      .map(asRead);
  }

  summaries(stream: Stream, nowMs: number): AnnotationSummary[] {
    return [...this.#kept.values()]
      .filter(({ state }) => isReadableMessage(state, stream, nowMs))
      .flatMap(({ summaries }) => [...summaries.values()]);
  }

  *open(): Generator<StoredMessage> {
    for (const { state } of this.#kept.values()) if (state.isOpen) yield { ...state, data: null };
  }

  openBelow(stream: Stream, historySerial: number): number {
    return [...this.open()].filter(
      (state) => state.historySerial >= stream.floorMessageSerial && state.historySerial < historySerial,
    ).length;
  }

  clear(): void {
    this.#kept.clear();
    this.#operations.clear();
    this.#annotations.clear();
    this.#takenBack.clear();
  }

  /** Removes purged and expired messages; returns the number of expired ones that were open. */
  remove(stream: Stream, nowMs: number): number {
    let open = 0;
    for (const [serial, kept] of this.#kept) {
      const { state } = kept;
      const isPurged = state.historySerial < stream.floorMessageSerial;
      if (!isPurged && state.keepUntilMs > nowMs) continue;
      if (!isPurged && state.isOpen) open += 1;
      this.#kept.delete(serial);
      for (const { operation } of kept.versions)
        if (operation !== undefined) this.#operations.delete(operation.hash);
      for (const { annotationNo, targetNo } of kept.annotations) {
        this.#annotations.delete(annotationNo);
        if (targetNo !== null) this.#takenBack.delete(targetNo);
      }
    }
    return open;
  }
}

const isBehind = (serial: string, after: string, newestFirst: boolean): boolean =>
  newestFirst ? serial < after : serial > after;

const asRead = ({ keepUntilMs: _kept, ...event }: NewAnnotation): AnnotationEvent => event;
