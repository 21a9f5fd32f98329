import { Capabilities } from './capabilities.js';
import { grantsByOperation, Refusal } from './read-grants.js';

/** Readable sign-in capabilities, or why not, in words for the client. */
export type SigninCapabilities =
  | { readonly ok: true; readonly capabilities: Capabilities }
  | { readonly ok: false; readonly reason: string };

/** Reads the `capabilities` member of signed user data; absent or null means none. Never throws. */
export function readSigninCapabilities(value: unknown): SigninCapabilities {
  if (value === undefined || value === null) return { ok: true, capabilities: Capabilities.NONE };
  try {
    return { ok: true, capabilities: Capabilities.ofSignin(grantsByOperation(value)) };
  } catch (problem) {
    if (problem instanceof Refusal) return { ok: false, reason: problem.message };
    throw problem;
  }
}
