import { RunningSummary, type SummaryKey } from '@carillon/history-annotations';
import {
  type Changes,
  type Found,
  type FoundAnnotation,
  type FoundOperation,
  type FoundSummary,
  isReadableMessage,
  type NewAnnotation,
  type StoredMessage,
  StoreFailure,
  type Stream,
} from '@carillon/history-store';
import type { TakenSummaries } from './known-summaries.js';

/** Accumulated changes of a batch to mutable messages; every record sees the effects of those before it. */
export class MessageDraft {
  readonly #states = new Map<string, StoredMessage>();
  readonly #changed = new Set<string>();
  readonly #operations = new Map<string, FoundOperation>();
  readonly #annotations = new Map<string, FoundAnnotation>();
  readonly #newAnnotations: NewAnnotation[] = [];
  readonly #foundSummaries = new Map<string, FoundSummary>();
  readonly #summaries = new Map<string, RunningSummary>();
  /** Types that messages have annotations of, those of this batch included. */
  readonly #types = new Map<string, number>();
  readonly #changedSummaries = new Set<RunningSummary>();

  constructor(
    { messages }: Found,
    private readonly taken: TakenSummaries,
  ) {
    if (messages === undefined) return;
    for (const state of messages.states) this.#states.set(nameOf(state, state.messageSerial), state);
    for (const one of messages.operations) this.#operations.set(nameOf(one, one.hash), one);
    for (const one of messages.annotations)
      this.#annotations.set(nameOf(one.created, one.created.annotationSerial), one);
    for (const one of messages.summaries)
      this.#foundSummaries.set(nameOf(one, one.messageSerial, one.type), one);
    for (const one of messages.types) this.#types.set(nameOf(one, one.messageSerial), one.count);
  }

  /** Undefined: no readable message exists. */
  state(stream: Stream, messageSerial: string, nowMs: number): StoredMessage | undefined {
    const state = this.#states.get(nameOf(stream, messageSerial));
    return state !== undefined && isReadableMessage(state, stream, nowMs) ? state : undefined;
  }

  setState(state: StoredMessage): void {
    const name = nameOf(state, state.messageSerial);
    this.#states.set(name, state);
    this.#changed.add(name);
  }

  operation(stream: Stream, hash: string): FoundOperation | undefined {
    return this.#operations.get(nameOf(stream, hash));
  }

  addOperation(operation: FoundOperation): void {
    this.#operations.set(nameOf(operation, operation.hash), operation);
  }

  annotation(stream: Stream, annotationSerial: string): FoundAnnotation | undefined {
    return this.#annotations.get(nameOf(stream, annotationSerial));
  }

  /** With all that the records before have added. */
  summary({ streamKey }: Stream, messageSerial: string, type: string): RunningSummary {
    const key = { streamKey, messageSerial, type };
    const name = nameOf(key, messageSerial, type);
    const summary = this.#summaries.get(name) ?? this.#begun(key, this.#foundSummaries.get(name));
    this.#summaries.set(name, summary);
    return summary;
  }

  #begun(key: SummaryKey, found: FoundSummary | undefined): RunningSummary {
    if (found === undefined) return RunningSummary.none(key);
    const { summary: text } = found;
    const known = this.taken.take(found);
    if (known !== undefined) return known;
    if (text !== null) return RunningSummary.of({ ...found, summary: text });
    // It was based on the state read by another transaction of this batch, which was rolled back.
    throw new StoreFailure('conflict', 'a summary is not known any more');
  }

  /** The number of types that a message has annotations of. */
  typesOf(stream: Stream, messageSerial: string): number {
    return this.#types.get(nameOf(stream, messageSerial)) ?? 0;
  }

  /** `takenBack`: the annotation that the event deletes; null for a create. */
  addAnnotation(event: NewAnnotation, summary: RunningSummary, takenBack: FoundAnnotation | null): void {
    this.#newAnnotations.push(event);
    this.#annotations.set(nameOf(event, event.annotationSerial), { created: event, deleted: null });
    if (takenBack !== null)
      this.#annotations.set(nameOf(event, takenBack.created.annotationSerial), {
        ...takenBack,
        deleted: event,
      });
    const { messageSerial, type } = event;
    const isStored = this.#foundSummaries.has(nameOf(event, messageSerial, type));
    if (!isStored && !this.#changedSummaries.has(summary)) {
      const name = nameOf(event, messageSerial);
      this.#types.set(name, (this.#types.get(name) ?? 0) + 1);
    }
    this.#changedSummaries.add(summary);
  }

  /** Summaries in the state in which they are stored. */
  get summaries(): readonly RunningSummary[] {
    return [...this.#summaries.values(), ...this.taken.left].filter(({ lastNo }) => lastNo > 0);
  }

  changes(): Pick<Changes, 'messages'> {
    if (this.#changed.size === 0 && this.#newAnnotations.length === 0) return {};
    const states = [...this.#changed].map((name) => this.#states.get(name));
    return {
      messages: {
        states: states.filter((state) => state !== undefined),
        annotations: this.#newAnnotations,
        summaries: [...this.#changedSummaries].map((summary) => summary.row()),
      },
    };
  }
}

const nameOf = ({ streamKey }: { readonly streamKey: string }, ...parts: string[]): string =>
  [streamKey, ...parts].join('\0');
