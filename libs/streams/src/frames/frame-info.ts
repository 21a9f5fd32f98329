import { rawMembers, type WireNames } from '@carillon/protocol';

/** A position in the stream of a channel. */
export interface StreamPosition {
  readonly streamId: string;
  readonly serial: number;
}

/** A V2 JSON frame, read and written as lines of a server-sent event once for all streams of the process. */
export interface FrameInfo {
  /** The frame on one line. */
  readonly json: string;
  /** The lines `event` and `data`, and the empty line. */
  readonly lines: string;
  readonly bytes: number;
  /** The event as the service names it, with its prefix. */
  readonly event: string;
  /** Null: the frame names no channel. */
  readonly channel: string | null;
  /** The position in the channel's stream; null: the frame has none. */
  readonly position: StreamPosition | null;
  /** Positions that a resume ended at, by channel; empty for every other frame. */
  readonly resumed: ReadonlyMap<string, StreamPosition>;
  /** The code of a failed resume; null for every other frame. */
  readonly failureCode: string | null;
  /** The last whole block of these lines, which streams with the same id share. */
  readonly shared: { id: string; block: string };
}

/** The number of cached frames: those of one turn of the event loop and of a few slow clients. */
const MAX_KEPT = 32;

const PREFIX = /^service(?:_internal)?:/;

/** Types that differ from the name of the event. Null: `message`, the default type. */
const TYPES: Readonly<Record<string, string | null>> = {
  'service:resume_success': 'resumed',
  'service:error': 'channel_error',
  'service_internal:message': 'summary',
};

/** The type of the server-sent event of a frame; null: the default type, `message`. */
function eventType(event: string): string | null {
  const type = TYPES[event];
  if (type !== undefined) return type;
  return PREFIX.test(event) ? event.replace(PREFIX, '') : null;
}

/** Reads frames, each once however many streams it is sent to. */
export class FrameInfos {
  readonly #kept = new Map<string, FrameInfo>();

  constructor(private readonly names: WireNames) {}

  of(frame: string): FrameInfo {
    const known = this.#kept.get(frame);
    if (known !== undefined) return known;
    const info = this.#read(frame);
    if (this.#kept.size >= MAX_KEPT)
      for (const oldest of this.#kept.keys()) return this.#replace(oldest, frame, info);
    this.#kept.set(frame, info);
    return info;
  }

  #replace(oldest: string, frame: string, info: FrameInfo): FrameInfo {
    this.#kept.delete(oldest);
    this.#kept.set(frame, info);
    return info;
  }

  #read(frame: string): FrameInfo {
    // Raw line breaks can only occur between the tokens of relayed JSON.
    const json = /[\r\n]/.test(frame) ? frame.replace(/[\r\n]/g, ' ') : frame;
    const members = rawMembers(json);
    const event = this.names.fromWire(textOf(members.get('event')) ?? '');
    const type = eventType(event);
    const lines = `${type === null ? '' : `event: ${type}\n`}data: ${json}\n\n`;
    return {
      json,
      lines,
      bytes: Buffer.byteLength(lines),
      event,
      channel: textOf(members.get('channel')),
      position: positionOf(event, members),
      resumed: event === 'service:resume_success' ? resumedIn(members.get('data')) : NONE,
      failureCode: event === 'service:resume_failed' ? failureCodeIn(members.get('data')) : null,
      shared: { id: '', block: '' },
    };
  }
}

const NONE: ReadonlyMap<string, StreamPosition> = new Map();

function positionOf(event: string, members: ReadonlyMap<string, string>): StreamPosition | null {
  if (event === 'service:resume_failed') return headIn(members.get('data'));
  const streamId = textOf(members.get('stream_id'));
  const serial = Number(members.get('serial'));
  return streamId !== null && Number.isSafeInteger(serial) ? { streamId, serial } : null;
}

/** Returns the head of the stream of a channel that cannot be resumed; null if it is unknown. */
function headIn(data: string | undefined): StreamPosition | null {
  const failure = dataOf(data);
  const { current_stream_id: streamId, newest_available_serial: serial } = failure as {
    readonly current_stream_id?: unknown;
    readonly newest_available_serial?: unknown;
  };
  return typeof streamId === 'string' && typeof serial === 'number' ? { streamId, serial } : null;
}

function failureCodeIn(data: string | undefined): string | null {
  const { code } = dataOf(data) as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}

function resumedIn(data: string | undefined): ReadonlyMap<string, StreamPosition> {
  const { recovered } = dataOf(data) as {
    readonly recovered?: readonly {
      readonly channel: string;
      readonly position: { readonly stream_id: string; readonly serial: number };
    }[];
  };
  return new Map(
    (recovered ?? []).map(({ channel, position }) => [
      channel,
      { streamId: position.stream_id, serial: position.serial },
    ]),
  );
}

/** The data of a system frame of this service, which is JSON in a string. */
function dataOf(data: string | undefined): object {
  const value: unknown = JSON.parse(data ?? '{}');
  const inner: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return typeof inner === 'object' && inner !== null ? inner : {};
}

function textOf(raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const value: unknown = JSON.parse(raw);
  return typeof value === 'string' ? value : null;
}
