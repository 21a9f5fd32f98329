import { createHash } from 'node:crypto';
import type { JsonObject } from '@carillon/api-operations';
import type { Logger } from '@carillon/runtime';
import { currentSpan } from '@carillon/tracing';
import type { CallContext } from '../calls/context.js';
import { canonicalJson, cut, redact } from './redact.js';

export type EndReason = 'delete' | 'expired' | 'evicted' | 'token_removed';
export type RejectReason = 'host' | 'origin' | 'rate' | 'size' | 'version';

/** Audit record of one call. */
export interface CallRecord {
  readonly event: 'mcp.tool.called' | 'mcp.resource.read' | 'mcp.prompt.get';
  /** The tool, the URI or the prompt; a client's text where none is known by it. */
  readonly what: string;
  readonly scope: string | null;
  readonly appId: string | null;
  readonly given: JsonObject;
  readonly outcome: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled';
  readonly status: number;
  readonly code: string | null;
  readonly durationMs: number;
  readonly bytesOut: number;
}

const LONGEST_CLIENT = 64;
const HASH_SHOWN = 12;

/** Arguments that identify the target of a call. */
const TARGETS = [
  'channel',
  'user_id',
  'message_serial',
  'publish_id',
  'publishId',
  'device_id',
  'template_id',
  'job_id',
  'dead_letter_id',
  'client_id',
] as const;

const targetOf = (given: JsonObject): string | null => {
  const name = TARGETS.find((one) => typeof given[one] === 'string');
  return name === undefined ? null : cut(String(given[name]));
};

/** Writes an audit record per call, without secrets and published data. */
export class Audit {
  constructor(private readonly log: Logger) {}

  sessionCreated(context: Omit<CallContext, 'signal'>): void {
    this.#say('mcp.session.created', fieldsOf(context));
  }

  sessionEnded(hash: string, principal: string, reason: EndReason): void {
    this.#say('mcp.session.ended', { principal, session: hash.slice(0, HASH_SHOWN), reason });
  }

  authFailed(reason: 'missing' | 'malformed' | 'unknown', remoteIp: string | null): void {
    this.#say('mcp.auth.failed', { reason, remote_ip: remoteIp });
  }

  rejected(reason: RejectReason, remoteIp: string | null, principal: string | null): void {
    this.#say('mcp.request.rejected', { reason, remote_ip: remoteIp, principal });
  }

  called(context: CallContext, record: CallRecord): void {
    const { given } = record;
    this.#say(record.event, {
      ...fieldsOf(context),
      tool: cut(record.what),
      scope_used: record.scope,
      app_id: record.appId === null ? null : cut(record.appId),
      target: targetOf(given),
      arguments: JSON.stringify(redact(given)),
      arguments_sha256: createHash('sha256').update(canonicalJson(given)).digest('hex'),
      outcome: record.outcome,
      status: record.status,
      code: record.code,
      duration_ms: Math.round(record.durationMs),
      bytes_out: record.bytesOut,
    });
  }

  #say(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.log.info(event, { event, time: new Date().toISOString(), ...fields });
  }
}

function fieldsOf(context: Omit<CallContext, 'signal'>): Record<string, unknown> {
  const { requestId, principal, session, era, client, remoteIp } = context;
  return {
    request_id: requestId,
    trace_id: currentSpan()?.traceId ?? null,
    principal: principal.name,
    scopes: [...principal.scopes].join(','),
    session: session === null ? null : session.hash.slice(0, HASH_SHOWN),
    era,
    client_name: client === null ? null : cut(client.name, LONGEST_CLIENT),
    client_version: client === null ? null : cut(client.version, LONGEST_CLIENT),
    remote_ip: remoteIp,
  };
}
