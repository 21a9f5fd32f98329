import {
  type AnnotationSummary,
  type Changes,
  type Found,
  type FoundAnnotation,
  type FoundOperation,
  isReadableMessage,
  type NewAnnotation,
  type StoredMessage,
  type Stream,
} from '@carillon/history-store';

/** What a batch has come to of messages that live on; every record sees what those before it did. */
export class MessageDraft {
  readonly #states = new Map<string, StoredMessage>();
  readonly #changed = new Set<string>();
  readonly #operations = new Map<string, FoundOperation>();
  readonly #annotations = new Map<string, FoundAnnotation>();
  readonly #newAnnotations: NewAnnotation[] = [];
  readonly #summaries = new Map<string, AnnotationSummary>();
  readonly #changedSummaries = new Set<string>();

  constructor({ messages }: Found) {
    if (messages === undefined) return;
    for (const state of messages.states) this.#states.set(nameOf(state, state.messageSerial), state);
    for (const one of messages.operations) this.#operations.set(nameOf(one, one.hash), one);
    for (const one of messages.annotations)
      this.#annotations.set(nameOf(one.created, one.created.annotationSerial), one);
    for (const one of messages.summaries) this.#summaries.set(nameOf(one, one.messageSerial, one.type), one);
  }

  /** Undefined: there is none that anybody can read. */
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

  summary(stream: Stream, messageSerial: string, type: string): AnnotationSummary | undefined {
    return this.#summaries.get(nameOf(stream, messageSerial, type));
  }

  /** `takenBack`: what this takes back; null: it is made. */
  addAnnotation(event: NewAnnotation, summary: AnnotationSummary, takenBack: FoundAnnotation | null): void {
    this.#newAnnotations.push(event);
    this.#annotations.set(nameOf(event, event.annotationSerial), { created: event, deleted: null });
    if (takenBack !== null)
      this.#annotations.set(nameOf(event, takenBack.created.annotationSerial), {
        ...takenBack,
        deleted: event,
      });
    const name = nameOf(summary, summary.messageSerial, summary.type);
    this.#summaries.set(name, summary);
    this.#changedSummaries.add(name);
  }

  changes(): Pick<Changes, 'messages'> {
    if (this.#changed.size === 0 && this.#newAnnotations.length === 0) return {};
    const summaries = [...this.#changedSummaries].map((name) => this.#summaries.get(name));
    const states = [...this.#changed].map((name) => this.#states.get(name));
    return {
      messages: {
        states: states.filter((state) => state !== undefined),
        annotations: this.#newAnnotations,
        summaries: summaries.filter((summary) => summary !== undefined),
      },
    };
  }
}

const nameOf = ({ streamKey }: { readonly streamKey: string }, ...parts: string[]): string =>
  [streamKey, ...parts].join('\0');
