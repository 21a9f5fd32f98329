import { integer, matching, text } from '../codec/primitives.js';

// Bounds that the size cap alone would not give. Names chosen by users (channels of signed-in users, user ids) are
// as long as a client frame lets them be, so theirs are generous.

/** Largest text a user may choose as a name. */
const USER_TEXT_BYTES = 64 * 1024;

export const appId = text(1, 64);
export const channel = text(1, USER_TEXT_BYTES);
export const clientId = text(1, 128);
export const messageId = text(1, 4096);
/** `{instance.process_id}-{8 hex boot nonce}`. */
export const nodeId = matching(/^[\w.-]{1,160}$/, 'a node id');
export const requestId = text(1, 128);
export const replyAddress = text(1, 512);
export const socketId = text(1, 128);
/** `jti` of a capability token. */
export const tokenId = text(1, 128);
export const userId = text(1, USER_TEXT_BYTES);

/** A counter that starts at zero. */
export const count = integer(0);
/** A position in a stream; zero is "before the first". */
export const serial = integer(0);
/** Milliseconds since 1970. */
export const timeMs = integer(0);
