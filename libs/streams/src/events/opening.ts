import type { Recovery } from '@carillon/realtime';
import type { AttachPoint, ResumePosition } from '@carillon/protocol';
import type { JoinStages, SubscribeFailure } from '@carillon/sockets';
import { channelRefusal, type StreamRefusal } from '../admission/refusal.js';
import { NO_POSITION, type ReceivedId, readPart, REWINDING, streamDigest } from '../position/position-id.js';
import type { StreamPositions } from '../position/stream-positions.js';

/** The part of the received id from which a channel resumes; null: it starts without one. */
export type ReceivedPart = { readonly part: string; readonly unusable: Recovery['unusable'] } | null;

/** Returns the part of a received id that applies to one of the stream's channels. */
export function receivedPart(received: ReceivedId, index: number): ReceivedPart {
  if (received.kind === 'none' || received.kind === 'stop') return null;
  if (received.kind === 'malformed') return { part: NO_POSITION, unusable: 'malformed_position' };
  if (received.kind === 'other_list') return { part: NO_POSITION, unusable: 'channel_list_changed' };
  const part = received.parts[index] ?? NO_POSITION;
  if (part === REWINDING) return null;
  return { part, unusable: part === NO_POSITION ? 'no_position' : null };
}

/**
 * Orders the channels of an event stream while it opens. All channels are joined before the response head is sent;
 * then each in turn sends the messages before its live ones.
 */
export class Opening {
  readonly #turns: (() => void)[] = [];
  readonly #joined = new Set<number>();
  readonly #ready: Promise<StreamRefusal | null>;
  #settle: (refusal: StreamRefusal | null) => void = () => {};

  constructor(
    private readonly count: number,
    private readonly positions: StreamPositions,
  ) {
    this.#ready = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Settles when every channel is joined, with null, or when one is refused. */
  get ready(): Promise<StreamRefusal | null> {
    return this.#ready;
  }

  stages(index: number, channel: string, received: ReceivedPart): JoinStages {
    return {
      turn: (attach = null) => this.turn(index, channel, attach),
      recovery: (attach) => (received === null ? null : recoveryOf(received, attach)),
      refused: (failure: SubscribeFailure) => this.#settle(channelRefusal(failure)),
    };
  }

  /**
   * Called when the channel is joined. Resolves when the response is open and all previous channels have sent their
   * messages.
   */
  turn(index: number, channel: string, attach: AttachPoint | null): Promise<void> {
    this.positions.attach(channel, attach);
    const turn = new Promise<void>((resolve) => {
      this.#turns[index] = resolve;
    });
    this.#joined.add(index);
    if (this.#joined.size === this.count) this.#settle(null);
    return turn;
  }

  /** Resolves the turn of a channel. */
  release(index: number): void {
    this.#turns[index]?.();
  }

  /** Resolves all turns when the stream has ended. */
  releaseAll(): void {
    for (const release of this.#turns) release?.();
  }

  refuse(refusal: StreamRefusal): void {
    this.#settle(refusal);
  }
}

/** The digest of the received position is compared in place of the stream id. */
function recoveryOf({ part, unusable }: NonNullable<ReceivedPart>, attach: AttachPoint | null): Recovery {
  const found = readPart(part);
  if (found === null) return { position: NOWHERE, unusable };
  const current = attach?.position ?? null;
  if (current === null) return { position: NOWHERE, unusable: 'no_position' };
  const isSame = streamDigest(current.streamId) === found.streamDigest;
  const streamId = isSame ? current.streamId : found.streamDigest;
  return { position: { streamId, serial: found.serial, lastMessageId: null }, unusable: null };
}

const NOWHERE: ResumePosition = { streamId: null, serial: 0, lastMessageId: null };
