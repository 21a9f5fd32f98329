import { ServiceError } from '@carillon/errors';
import type { TailRequest } from '@carillon/fleet-state';
import { AuditDraft } from '../audit/draft.js';
import { appIdOf, type Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import type { Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { appOf, notFound } from './common.js';

export interface TailQuery {
  readonly channel?: string;
  readonly user_id?: string;
  readonly socket_id?: string;
  readonly sample?: number;
  readonly max_events_per_second: number;
  readonly payload: 'full' | 'none';
  readonly max_data_bytes: number;
  readonly seconds?: number;
}

const APP_SAMPLE = 100;
const DEFAULT_SECONDS = 900;

/** Streams live events of an app until its time is over, its reader disconnects or its credential ends. */
export async function tail(call: Call<TailQuery>, parts: ManagementParts): Promise<Reply> {
  await appOf(call, parts);
  const request = requestOf(call, parts);
  const { fleet, settings } = parts;
  if (request.target.socket_id !== undefined) await requireConnection(call, request.target.socket_id, parts);
  const opened = await fleet.tails.open(request, {
    isAuthorized: () => call.isStillAuthorized().catch(() => true),
    appExists: () =>
      parts.apps.findById(request.app_id).then(
        (app) => app !== null,
        () => true,
      ),
    ended: () => void recordEnd(call, parts),
  });
  if (opened === null) {
    const { max_per_principal: own, max_per_node: node } = settings().tail;
    throw new ServiceError('rate_limited', {
      text: `too many tails; the limits are ${own} of one principal and ${node} of one process`,
    });
  }
  if (call.signal.aborted) opened.abandon();
  return {
    headers: { 'x-accel-buffering': 'no' },
    stream: (stream) => {
      const reader = opened.read({
        get isBehind() {
          return stream.isBehind;
        },
        write: (text) => stream.write(text),
        end: () => stream.end(),
      });
      stream.onDrained = reader.drained;
      stream.onGone = reader.gone;
      // It may have gone before anybody listened.
      if (!stream.isOpen) reader.gone();
    },
  };
}

function requestOf(call: Call<TailQuery>, { settings }: ManagementParts): TailRequest {
  const { channel, user_id, socket_id, sample, payload, max_events_per_second, max_data_bytes } = call.query;
  const targets = Object.entries({ channel, user_id, socket_id }).filter(([, value]) => value !== undefined);
  const [, second] = targets;
  if (second !== undefined) throw invalidField(second[0], 'must be the only target');
  const { max_seconds: most, payloads } = settings().tail;
  const seconds = call.query.seconds ?? Math.min(DEFAULT_SECONDS, most);
  if (seconds > most) throw invalidField('seconds', `must be at most ${most}`);
  return {
    principal: call.principal.name,
    app_id: appIdOf(call),
    target: Object.fromEntries(targets),
    sample: sample ?? (targets.length === 0 ? APP_SAMPLE : 1),
    max_events_per_second,
    payload: payloads === 'none' ? 'none' : payload,
    max_data_bytes,
    seconds,
  };
}

async function requireConnection(call: Call, socketId: string, parts: ManagementParts): Promise<void> {
  const deadlineMs = parts.settings().fleet_timeout_ms;
  const { item, ...coverage } = await parts.fleet.state.connection(appIdOf(call), socketId, { deadlineMs });
  if (item === null) throw notFound('the connection does not exist', coverage);
}

/** Never rejects: the tail has ended, whatever becomes of its entry. */
async function recordEnd(call: Call, { audit, log }: ManagementParts): Promise<void> {
  const { principal, session, address, requestId } = call;
  const subject = {
    action: 'tail.end' as const,
    method: 'GET',
    principal: principal.name,
    sessionHash: session?.hash ?? null,
    address,
    requestId,
  };
  try {
    const entry = await audit.begin(subject, new AuditDraft(appIdOf(call)));
    await entry.complete(200);
  } catch (error) {
    log.warn('end of a tail not audited', { request_id: requestId, error });
  }
}
