/** Revisions with sessions, newest first: the offer to clients of other revisions. */
export const SESSION_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export type SessionRevision = (typeof SESSION_REVISIONS)[number];

/** The revision without sessions. */
export const STATELESS_REVISION = '2026-07-28';

export const REVISIONS: readonly string[] = [STATELESS_REVISION, ...SESSION_REVISIONS];

export const isSessionRevision = (text: string): text is SessionRevision =>
  (SESSION_REVISIONS as readonly string[]).includes(text);

/** Names of the members of `_meta` that stateless requests bring. */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a version header speaks of the era without sessions. */
export const isStatelessVersion = (header: string | undefined): boolean =>
  header !== undefined && DATE.test(header) && header >= STATELESS_REVISION;
