import type { AppHub } from '@carillon/realtime';
import { ConnectionV2, type SpeechV2 } from '@carillon/sockets';
import type { ConnectionSocket } from '@carillon/sockets';
import type { HttpResponse } from '@carillon/uws';
import type { StreamForm } from './stream-form.js';
import type { Output } from './output.js';

/** The response of a stream, in addition to the socket interface of the hub. */
export interface StreamSocket extends ConnectionSocket {
  readonly output: Output;
  /** Time of the last write, as `performance` keeps it. */
  readonly writtenMs: number;
  /** Since when the client has read nothing, as `performance` keeps time; Infinity: it has read everything. */
  readonly stalledSinceMs: number;
  /** Sends the head and the first frame. False: the client is gone. */
  open(response: HttpResponse, established: string): boolean;
  /** Ends the connection without a last block. */
  terminate(code?: number): void;
  /** The client is gone. */
  gone(): void;
}

/** A connection of protocol 2 over HTTP. */
export class StreamConnection extends ConnectionV2 {
  /** Null: it has not begun to open. */
  http: StreamSocket | null = null;
  /** When the stream was opened, as `performance` keeps time. */
  readonly openedMs = performance.now();
  /** When the client of a session last sent something; Infinity: it sends nothing, being an event stream. */
  heardMs: number;
  /** When it is closed for its age, as `performance` keeps time. */
  endsMs = Infinity;

  /** Whether metrics count it as open. */
  isCounted = false;
  /** Called when the connection has ended; null: no listener. */
  onEnded: (() => void) | null = null;

  readonly #signedId: string;

  constructor(
    id: string,
    hub: AppHub,
    speech: SpeechV2,
    readonly form: StreamForm,
    /** The ticket that its channel signatures cover; null: its socket id. */
    ticket: string | null = null,
  ) {
    super(id, hub, speech, 0);
    this.#signedId = ticket ?? id;
    this.heardMs = form === 'session' ? this.openedMs : Infinity;
  }

  override get signedId(): string {
    return this.#signedId;
  }
}
