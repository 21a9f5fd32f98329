import type { IngestEvent } from '../../event.js';
import type { Dead, Outcome } from '../../outcome.js';
import type { EventSink, IngestSource, SourceStatus } from '../../port.js';

/** A source for tests: events of an array, delivered at once and in order. */
export class MemorySource implements IngestSource {
  readonly dead: { readonly event: IngestEvent; readonly outcome: Dead }[] = [];
  readonly #controller = new AbortController();
  readonly #serials = new Map<string, string>();
  readonly #waiting: IngestEvent[] = [];
  readonly #open = new Set<Promise<void>>();
  #sink: EventSink | null = null;

  constructor(
    readonly name: string,
    private readonly maxInFlight = 1000,
  ) {}

  /** Adds an event behind all others. */
  add(event: IngestEvent): void {
    this.#waiting.push(event);
    this.#fill();
  }

  start(sink: EventSink): void {
    this.#sink = sink;
    this.#fill();
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#sink = null;
    signal.addEventListener('abort', () => this.#controller.abort(), { once: true });
    if (signal.aborted) this.#controller.abort();
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  status(): SourceStatus {
    const lagRows = this.#waiting.length + this.#open.size;
    return { problem: null, partitionsOwned: 1, lagRows, lagSeconds: 0, deadLetters: this.dead.length };
  }

  #fill(): void {
    const sink = this.#sink;
    if (sink === null) return;
    while (this.#waiting.length > 0 && this.#open.size < this.maxInFlight) {
      const event = this.#waiting.shift();
      if (event === undefined) return;
      const done: Promise<void> = this.#deliver(sink, event).finally(() => {
        this.#open.delete(done);
        this.#fill();
      });
      this.#open.add(done);
    }
  }

  async #deliver(sink: EventSink, event: IngestEvent): Promise<void> {
    const { signal } = this.#controller;
    const outcome: Outcome = await sink.deliver(event, {
      signal,
      get isEnded() {
        return signal.aborted;
      },
      messages: {
        serialOf: async (...name) => this.#serials.get(name.join('\u001f')) ?? null,
        remember: (app, channel, id, serial) =>
          void this.#serials.set([app, channel, id].join('\u001f'), serial),
      },
    });
    if (outcome.kind === 'dead') this.dead.push({ event, outcome });
  }
}
