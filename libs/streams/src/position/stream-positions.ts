import type { AttachPoint } from '@carillon/protocol';
import type { FrameInfo, StreamPosition } from '../frames/frame-info.js';
import { listDigest, NO_POSITION, positionId, positionPart, REWINDING } from './position-id.js';

/** `resuming`: the received position counts until the resume has ended. `rewinding`: it has none until that is done. */
type Mode = 'live' | 'resuming' | 'rewinding';

interface ChannelPosition {
  readonly rewinds: boolean;
  mode: Mode;
  position: StreamPosition | null;
  /** Its encoding in the id. */
  part: string;
}

/** The start of a channel in a stream. */
export interface ChannelStart {
  readonly channel: string;
  readonly rewinds: boolean;
  /** The part of the id that the client sent; null: it starts without one. */
  readonly received: string | null;
}

/**
 * The positions up to which one stream has sent everything, as encoded in the ids of its blocks. They are updated by
 * the frames that are sent, so they are never ahead of the bytes.
 */
export class StreamPositions {
  readonly #list: string;
  readonly #channels = new Map<string, ChannelPosition>();
  #id: string | null = null;

  constructor(starts: readonly ChannelStart[]) {
    this.#list = listDigest(starts.map(({ channel }) => channel));
    for (const { channel, rewinds, received } of starts)
      this.#channels.set(channel, {
        rewinds,
        mode: received !== null ? 'resuming' : rewinds ? 'rewinding' : 'live',
        position: null,
        part: received ?? (rewinds ? REWINDING : NO_POSITION),
      });
  }

  get id(): string {
    this.#id ??= positionId(
      this.#list,
      Array.from(this.#channels.values(), ({ part }) => part),
    );
    return this.#id;
  }

  /** The channel is joined at this point; null: it has no positions. */
  attach(channel: string, point: AttachPoint | null): void {
    const found = this.#channels.get(channel);
    if (found === undefined) return;
    found.position = point?.position ?? null;
    if (found.mode === 'live') this.#show(found);
  }

  /** Applies the position of a frame that is sent now. */
  take({ event, channel, position, resumed }: FrameInfo): void {
    for (const [name, end] of resumed) this.#resumed(name, end);
    const found = channel === null ? undefined : this.#channels.get(channel);
    if (found === undefined) return;
    if (event === 'service:resume_failed') this.#failed(found, position);
    else if (event === 'service:rewind_complete') this.#live(found);
    else if (position !== null && event !== 'service_internal:subscription_succeeded')
      this.#message(found, position);
  }

  /** Everything that comes before live messages of the channel is sent. */
  settled(channel: string): void {
    const found = this.#channels.get(channel);
    if (found !== undefined && found.mode !== 'live') this.#live(found);
  }

  /** The stream has accounted for everything up to there. Returns how far the position has moved. */
  advance(channel: string, position: StreamPosition): number {
    const found = this.#channels.get(channel);
    if (found === undefined || found.mode !== 'live') return 0;
    const moved = isAhead(position, found.position);
    if (moved > 0) this.#message(found, position);
    return moved;
  }

  /** Returns the distance between a position of a channel and the last id. */
  distance(channel: string, position: StreamPosition): number {
    const found = this.#channels.get(channel);
    return found === undefined || found.mode !== 'live' ? 0 : isAhead(position, found.position);
  }

  #resumed(channel: string, end: StreamPosition): void {
    const found = this.#channels.get(channel);
    if (found === undefined) return;
    found.position = end;
    this.#live(found);
  }

  #failed(found: ChannelPosition, head: StreamPosition | null): void {
    if (found.mode === 'live') {
      if (head !== null) this.#message(found, head);
      return;
    }
    if (!found.rewinds) return this.#live(found);
    found.mode = 'rewinding';
    this.#show(found);
  }

  /** Messages of the past are older than where the channel was joined. */
  #message(found: ChannelPosition, position: StreamPosition): void {
    if (found.mode === 'resuming') {
      this.#set(found, positionPart(position.streamId, position.serial));
      return;
    }
    if (isAhead(position, found.position) <= 0) return;
    found.position = position;
    this.#show(found);
  }

  #live(found: ChannelPosition): void {
    found.mode = 'live';
    this.#show(found);
  }

  #show(found: ChannelPosition): void {
    const { mode, position } = found;
    if (mode === 'rewinding') return this.#set(found, REWINDING);
    this.#set(found, position === null ? NO_POSITION : positionPart(position.streamId, position.serial));
  }

  #set(found: ChannelPosition, part: string): void {
    if (found.part === part) return;
    found.part = part;
    this.#id = null;
  }
}

/**
 * Returns the number of messages by which a position is ahead of another. A position in another stream is ahead by
 * all messages of that stream.
 */
function isAhead(position: StreamPosition, known: StreamPosition | null): number {
  if (known === null || known.streamId !== position.streamId) return Math.max(1, position.serial);
  return position.serial - known.serial;
}
