import { UuidList } from '@carillon/collections';
import type { CommitResult } from '@carillon/contracts';

/** Numbers per result: stream, both serials, publish time. */
const WIDTH = 4;
const FIRST_CAPACITY = 64;

/**
 * Results of publishes stored as numbers, which the garbage collector does not scan. As objects, those of ten seconds
 * would be most of the heap and cause long pauses.
 */
export class PackedAnswers {
  readonly #streams = new UuidList();
  #numbers = new Float64Array(FIRST_CAPACITY * WIDTH);

  /** Returns false, and stores nothing, if the result has members that are not stored here. */
  put(place: number, result: CommitResult): boolean {
    const { status, stream_id: streamId, delivery_serial: serial, published_at_ms: atMs } = result;
    if (status !== 'applied' || !isNothingButPlaced(result)) return false;
    if (typeof streamId !== 'string' || typeof serial !== 'number' || typeof atMs !== 'number') return false;
    const from = place * WIDTH;
    while (from >= this.#numbers.length) this.#grow();
    this.#numbers[from] = this.#streams.add(streamId);
    this.#numbers[from + 1] = serial;
    this.#numbers[from + 2] = result.history_serial ?? Number.NaN;
    this.#numbers[from + 3] = atMs;
    return true;
  }

  /** Returns the result stored at a position. */
  at(place: number, pubId: string): CommitResult {
    const from = place * WIDTH;
    const [stream = 0, serial = 0, historySerial = 0, atMs = 0] = this.#numbers.subarray(from, from + WIDTH);
    return {
      pub_id: pubId,
      status: 'applied',
      stream_id: this.#streams.at(stream),
      delivery_serial: serial,
      history_serial: Number.isNaN(historySerial) ? null : historySerial,
      message_serial: null,
      version_serial: null,
      published_at_ms: atMs,
    };
  }

  /** All are forgotten; the room stays, since as much will be needed again. */
  clear(): void {
    this.#streams.clear();
  }

  #grow(): void {
    const grown = new Float64Array(this.#numbers.length * 2);
    grown.set(this.#numbers);
    this.#numbers = grown;
  }
}

/** Whether a result has only serials: results of other message operations have more members. */
const isNothingButPlaced = ({
  message_serial: messageSerial,
  version_serial: versionSerial,
  annotation_serial: annotationSerial,
  extra,
}: CommitResult): boolean => (messageSerial ?? versionSerial ?? annotationSerial ?? extra ?? null) === null;
