/** Operation that an event asks for. */
export type IngestOperation = 'publish' | 'append' | 'update' | 'delete' | 'push';

/** One command of a source. */
export interface IngestEvent {
  /** Unique for the source; the idempotency key of the event unless it names its own. */
  readonly id: string;
  readonly op: IngestOperation;
  readonly app: string;
  /** Null for a push, which has no order. */
  readonly channel: string | null;
  /** Name of the event of a publish; null otherwise. */
  readonly name: string | null;
  /** Message that a mutation changes: a serial, or `id:<message_id>`. Null for a publish and a push. */
  readonly message: string | null;
  /** Null: absent. */
  readonly data: string | null;
  /** Whether `data` is JSON text rather than the string to deliver. */
  readonly isJson: boolean;
  /** Members of the request besides the others, as a JSON object. */
  readonly optionsText: string;
  /** When the event was created in the source, Unix time in ms. */
  readonly atMs: number;
  /** Size that `max_in_flight_bytes` counts. */
  readonly bytes: number;
}

/** Size of an event without its texts. */
export const EVENT_OVERHEAD_BYTES = 256;
