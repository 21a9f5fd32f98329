import { equalText } from '../equal-text.js';
import { hmac, matchesEither, type SigningKey } from '../signing-key.js';

/** Subject of a sign-in signature. */
export interface UserAuth {
  readonly socketId: string;
  /** The JSON text exactly as received. */
  readonly userData: string;
}

const SIGNATURE_LENGTH = 64;

/** Returns `{appKey}:{signature}`, the answer of an application server to its client. */
export function signUserAuth(key: SigningKey, { socketId, userData }: UserAuth): string {
  return `${key.key}:${hmac(key, `${socketId}::user::${userData}`, 'hex')}`;
}

/** Whether `auth` signs this socket in. The key in front may be missing; another app's key is refused. */
export function verifyUserAuth(key: SigningKey, request: UserAuth, auth: string): boolean {
  return matchesEither(key, (one) => {
    const expected = signUserAuth(one, request);
    return equalText(auth, auth.length === SIGNATURE_LENGTH ? expected.slice(-SIGNATURE_LENGTH) : expected);
  });
}
