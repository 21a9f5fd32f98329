import type { Principal } from '../guards/principals.js';
import type { ClientInfo } from '../rpc/stateless.js';
import type { SessionRevision } from '../rpc/revisions.js';

/** The request that a message came with. */
export interface CallContext {
  readonly requestId: string;
  readonly principal: Principal;
  readonly remoteIp: string | null;
  readonly era: 'session' | 'stateless';
  /** Null in the era without sessions. */
  readonly session: {
    readonly hash: string;
    readonly revision: SessionRevision;
    /** Toolsets that the session enabled besides those that are always listed. */
    readonly toolsets: readonly string[];
  } | null;
  readonly client: ClientInfo | null;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The oldest revision knows no titles and no structured results. */
export const speaksOldest = ({ session }: CallContext): boolean => session?.revision === '2025-03-26';
