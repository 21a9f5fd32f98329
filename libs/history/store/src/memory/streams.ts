import { randomUUID } from 'node:crypto';
import { newStream, type Stream, type StreamAddress, streamName } from '../model/stream.js';
import { MemoryStream } from './memory-stream.js';

/** Streams by address and key. Only a purge removes one, so their number is that of channels in use. */
export class MemoryStreams {
  readonly #byName = new Map<string, MemoryStream>();
  readonly #byKey = new Map<string, MemoryStream>();
  readonly #degraded = new Set<string>();
  #made = 0;

  all(): IterableIterator<MemoryStream> {
    return this.#byKey.values();
  }

  /** Keys of those of messages that are degraded. */
  degraded(): string[] {
    return [...this.#degraded];
  }

  byAddress(address: StreamAddress): MemoryStream | undefined {
    return this.#byName.get(streamName(address));
  }

  byKey(streamKey: string): MemoryStream | undefined {
    return this.#byKey.get(streamKey);
  }

  /** Undefined also when it was reset since. */
  current({ streamKey, generation }: Pick<Stream, 'generation' | 'streamKey'>): MemoryStream | undefined {
    const held = this.#byKey.get(streamKey);
    return held?.stream.generation === generation ? held : undefined;
  }

  create(address: StreamAddress, nowMs: number): MemoryStream {
    this.#made += 1;
    const key = String(this.#made);
    const made = new MemoryStream(newStream(address, key, randomUUID(), nowMs));
    this.#byName.set(streamName(address), made);
    this.#byKey.set(key, made);
    return made;
  }

  write(stream: Stream): void {
    const { streamKey, address, durable } = stream;
    this.#byKey.get(streamKey)?.write(stream);
    if (address.kind === 'messages' && durable.state === 'degraded') this.#degraded.add(streamKey);
    else this.#degraded.delete(streamKey);
  }

  remove({ stream: { streamKey, address } }: MemoryStream): void {
    this.#byKey.delete(streamKey);
    this.#degraded.delete(streamKey);
    this.#byName.delete(streamName(address));
  }
}
