import type { Principal } from '../auth/principals.js';
import type { Transport } from '../auth/cookies.js';
import type { ActiveSession } from '../auth/sessions.js';
import type { AuditDraft } from '../audit/draft.js';

/** One authorized request, as handlers see it. */
export interface Call<Query = unknown, Body = unknown> {
  /** `X-Request-Id` of the answer. */
  readonly requestId: string;
  readonly principal: Principal;
  /** Null: the request was authenticated by a bearer token. */
  readonly session: ActiveSession | null;
  /** Address of the client; null on a Unix socket. */
  readonly address: string | null;
  readonly transport: Transport;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Checked by the schemas of the route. */
  readonly query: Query;
  /** Checked by the schema of the route; undefined where the route has no body. */
  readonly body: Body;
  /** Bytes of the body, for operations that pass parts of it on as written. */
  readonly rawBody: Buffer | undefined;
  /** First header of that lower-case name. */
  header(name: string): string | undefined;
  /** Aborted when the client disconnects or the request exceeds its time. */
  readonly signal: AbortSignal;
  /** Audit entry of the request. Its changes are ignored where the route is not audited. */
  readonly audit: AuditDraft;
  /** Whether the credential of the request is still valid; for streams. */
  isStillAuthorized(): Promise<boolean>;
}

/** `{app_id}` of the path. */
export const appIdOf = ({ params }: Pick<Call, 'params'>): string => params['app_id'] ?? '';
