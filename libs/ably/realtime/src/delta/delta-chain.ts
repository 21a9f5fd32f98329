import { ACTION_NUMBER, type WireMessage } from '@carillon/ably-core';
import { type BaseHolder, SharedEncoding } from '@carillon/delta';
import {
  type Codec,
  type DeltaMeters,
  type Frame,
  frameBytes,
  type Frames,
  type Roles,
} from '@carillon/realtime';
import type { Fact, Message } from '@carillon/protocol';
import type { CompatCodec } from '../codec.js';
import type { DeltaEntry } from './delta-entry.js';

/** The base of the next delta. */
interface Base {
  readonly id: string;
  readonly data: string;
  readonly atMs: number;
}

/** State shared by the chains of one channel. */
export interface ChainChannel {
  readonly meters: Pick<DeltaMeters, 'delta' | 'full'>;
  /** Called when the base of a chain has changed. */
  stepped(chain: DeltaChain): void;
  /** Called when a chain has no members left. */
  left(chain: DeltaChain): void;
}

const MAX_LENGTH = 64 * 1024;
const MAX_AGE_MS = 120_000;

/** The deltas of a message, each encoded once and shared by all formats of subscribers with the same base. */
const encodings = new WeakMap<Frames, SharedEncoding>();

/** The subscribers of a channel with the same last message. They receive the next one as a delta to it. */
export class DeltaChain implements Codec, BaseHolder {
  readonly remembersClients = true;
  /** Absent for a channel that is not derived. */
  readonly isDeferred: CompatCodec['isDeferred'];
  #base: Base | null = null;

  constructor(
    private readonly channel: ChainChannel,
    readonly full: CompatCodec,
    /** The codec of its subscribers while they are held back. */
    readonly held: DeltaEntry,
  ) {
    this.isDeferred = full.isDeferred;
  }

  /** The id of the last message received by all members; null: the next message is sent in full. */
  get baseId(): string | null {
    return this.#base?.id ?? null;
  }

  get length(): number {
    return this.#base?.data.length ?? 0;
  }

  clear(): void {
    this.#base = null;
  }

  renew(): void {
    this.#holds(null);
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    const full = frames.of(this.full);
    if (full === null) return null;
    if (fact.kind !== 'message') {
      // Clients treat a summary as their last message, which cannot be the base of a delta.
      if (fact.kind === 'annotations_summarized') this.#holds(null);
      return full;
    }
    const shown = this.full.shown(fact, frames);
    const isCandidate = shown !== null && fact.mayBeDelta && mayBeBase(shown);
    const next: Base | null = isCandidate
      ? { id: shown.id, data: shown.data, atMs: performance.now() }
      : null;
    const before = this.#base;
    this.#holds(next);
    if (!isCandidate) return full;
    const frame = this.#difference(fact, shown, before, frames);
    const { meters } = this.channel;
    if (frame === null) meters.full(frameBytes(full));
    else meters.delta(frameBytes(full), frameBytes(frame));
    return frame ?? full;
  }

  #holds(base: Base | null): void {
    this.#base = base;
    this.channel.stepped(this);
  }

  /** Null: it is sent in full. */
  #difference(fact: Message, shown: Candidate, before: Base | null, frames: Frames): Frame | null {
    if (before === null || performance.now() - before.atMs > MAX_AGE_MS) return null;
    const delta = encodingOf(shown.data, frames).from(before.data);
    return delta === null ? null : this.full.frame(fact, differenceTo(before.id, shown, delta));
  }

  get view(): string | undefined {
    return this.full.view;
  }

  get roles(): Roles {
    return this.full.roles;
  }

  told(frames: Frames, receivers: number, appId: string): void {
    this.full.told(frames, receivers, appId);
  }

  left(): void {
    this.channel.left(this);
  }
}

type Candidate = WireMessage & { readonly id: string; readonly data: string };

function mayBeBase(shown: WireMessage): shown is Candidate {
  const { id, data, encoding, action } = shown;
  const isText = encoding === undefined || encoding === 'json';
  return (
    id !== undefined &&
    data !== undefined &&
    isText &&
    action === ACTION_NUMBER.create &&
    Buffer.byteLength(data) <= MAX_LENGTH
  );
}

function encodingOf(data: string, frames: Frames): SharedEncoding {
  let encoding = encodings.get(frames);
  if (encoding === undefined) encodings.set(frames, (encoding = new SharedEncoding(data, 'xdelta3')));
  return encoding;
}

function differenceTo(from: string, shown: Candidate, data: string): WireMessage {
  const { encoding, extras } = shown;
  return {
    ...shown,
    data,
    encoding: `${encoding === undefined ? '' : `${encoding}/`}utf-8/vcdiff/base64`,
    extras: { ...extras, delta: { from, format: 'vcdiff' } },
  };
}
