/**
 * For brokers without replies, the first members of a request hold its id and reply address, and the first member of
 * an answer holds the request id. Both remain JSON texts for readers that ignore these members.
 */
const REQUEST_HEAD = /^\{"request_id":"([\w-]{1,64})","reply_to":"([^"\\]{1,512})",/;
const REPLY_HEAD = /^\{"request_id":"([\w-]{1,64})",/;
/** More than the longest head. */
const HEAD_BYTES = 640;

export interface RequestHead {
  readonly requestId: string;
  readonly replyTo: string;
}

/** @param text a JSON object with a member */
export const asRequest = (text: string, { requestId, replyTo }: RequestHead): string =>
  `{"request_id":"${requestId}","reply_to":"${replyTo}",${text.slice(1)}`;

/** @param text a JSON object with a member */
export const asReply = (text: string, requestId: string): string =>
  `{"request_id":"${requestId}",${text.slice(1)}`;

/** Null: it is no request. */
export function requestHead(bytes: Uint8Array): RequestHead | null {
  const [, requestId, replyTo] = REQUEST_HEAD.exec(headOf(bytes)) ?? [];
  return requestId === undefined || replyTo === undefined ? null : { requestId, replyTo };
}

/** Returns the id of the answered request; null if it is no answer. */
export const replyHead = (bytes: Uint8Array): string | null => REPLY_HEAD.exec(headOf(bytes))?.[1] ?? null;

const headOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES)).toString('latin1');
