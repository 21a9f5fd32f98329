import {
  AI_EVENTS,
  type AiChannels,
  type AiMeters,
  checkHeaders,
  checkIdentity,
  type HeaderLimits,
} from '@carillon/history-ai';
import type { ErrorCode } from '@carillon/errors';
import { omitMembers, rawMember } from '@carillon/protocol';
import type { Connection } from '../connection/connection.js';
import type { ClientEvent } from '../connection/speech.js';

/** The verdict of AI transport on a client event: an error, or the `extras` to publish it with. */
export type AiVerdict =
  | { readonly row: ErrorCode; readonly message?: string }
  | { readonly extrasText: string | null };

const AI: ReadonlySet<string> = new Set(['ai']);

/** Validates client events on AI channels, with AI headers or with AI event names. */
export class AiEvents {
  constructor(
    private readonly channels: AiChannels,
    private readonly limits: HeaderLimits,
    private readonly meters: AiMeters,
  ) {}

  /** Returns null if AI transport does not apply to the event. */
  judge(connection: Connection, frame: ClientEvent): AiVerdict | null {
    const verdict = this.#judge(connection, frame);
    const { appId } = connection.hub;
    if (verdict !== null && 'row' in verdict) this.meters.rejected(appId, verdict.row, false);
    else if (verdict !== null) this.meters.validated(appId, frame.event);
    return verdict;
  }

  #judge(connection: Connection, { event, channel, extrasText }: ClientEvent): AiVerdict | null {
    const kind = AI_EVENTS.get(event);
    const raw = extrasText === null ? null : rawMember(extrasText, 'ai');
    if (kind === undefined && raw === null) return null;
    const isPermitted =
      connection.speaksAi && kind?.fromClients !== false && this.channels.has(channel ?? '');
    if (!isPermitted) return { row: 'ai_event_not_permitted' };
    const clientId = connection.identity?.userId;
    if (clientId === undefined) return { row: 'forbidden', message: 'AI events need a verified identity' };
    const ai: unknown = raw === null ? {} : JSON.parse(raw);
    const refusal = checkHeaders(ai, this.limits) ?? checkIdentity(ai, clientId);
    if (refusal !== null) return { row: refusal.code, message: refusal.text };
    const stamped = kind?.stamped ?? null;
    return {
      extrasText: stamped === null ? extrasText : withHeader(extrasText, ai as Headers, stamped, clientId),
    };
  }
}

/** Validated headers. */
interface Headers {
  readonly transport?: Readonly<Record<string, string>> | null;
}

/** Adds a header set by the service. A value from the client was already checked to be equal. */
function withHeader(extrasText: string | null, ai: Headers, name: string, value: string): string {
  const text = JSON.stringify({ ...ai, transport: { ...ai.transport, [name]: value } });
  const rest = extrasText === null ? null : omitMembers(extrasText, AI);
  return rest === null ? `{"ai":${text}}` : `${rest.slice(0, -1)},"ai":${text}}`;
}
