import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const NODE_LENGTH = 8;
const SECRET_BYTES = 24;
const ID_BYTES = 12;
const SESSION = /^[A-Za-z0-9_-]{24}$/;

/** Names a node without revealing its name, so that any node can forward a request to it. */
const nodeMark = (nodeId: string): string =>
  createHash('sha256').update(`session of ${nodeId}`).digest('base64url').slice(0, NODE_LENGTH);

/** A new id of a session of a node. */
export const newSessionId = (nodeId: string): string =>
  nodeMark(nodeId) + randomBytes(ID_BYTES).toString('base64url');

export const isSessionId = (text: string): boolean => SESSION.test(text);

/** Whether a session may be of a node. */
export const isOfNode = (session: string, nodeId: string): boolean =>
  session.slice(0, NODE_LENGTH) === nodeMark(nodeId);

/** A new secret, of 192 bits. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Returns the hexadecimal hash of a secret, which is stored and forwarded instead of the secret. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Compares two hashes in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
