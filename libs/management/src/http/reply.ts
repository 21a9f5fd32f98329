import type { EventStream } from '@carillon/uws';

/** The answer of a handler: a body, or a stream of server-sent events that goes on after the handler returned. */
export type Reply = BodyReply | StreamReply;

export interface BodyReply {
  readonly status: number;
  /** Sent as JSON; absent: an empty body. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamReply {
  readonly headers?: Readonly<Record<string, string>>;
  /** Called once, after the response head is sent. Must not throw; ends the stream itself. */
  readonly stream: (stream: EventStream) => void;
}

export const ok = (body: object, headers: Readonly<Record<string, string>> = {}): BodyReply => ({
  status: 200,
  body,
  headers,
});

export const NO_CONTENT: BodyReply = { status: 204 };
