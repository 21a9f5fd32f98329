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

/** What AI transport says of a client's event: what is wrong with it, or the `extras` that it goes out with. */
export type AiVerdict =
  | { readonly row: ErrorCode; readonly message?: string }
  | { readonly extrasText: string | null };

const AI: ReadonlySet<string> = new Set(['ai']);

/** Judges what clients send on channels of AI transport, or with its headers, or under its names. */
export class AiEvents {
  constructor(
    private readonly channels: AiChannels,
    private readonly limits: HeaderLimits,
    private readonly meters: AiMeters,
  ) {}

  /** Null: AI transport has no say in it. */
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

/** As checked. */
interface Headers {
  readonly transport?: Readonly<Record<string, string>> | null;
}

/** The same with a header of the service, which what the client says already equals. */
function withHeader(extrasText: string | null, ai: Headers, name: string, value: string): string {
  const text = JSON.stringify({ ...ai, transport: { ...ai.transport, [name]: value } });
  const rest = extrasText === null ? null : omitMembers(extrasText, AI);
  return rest === null ? `{"ai":${text}}` : `${rest.slice(0, -1)},"ai":${text}}`;
}
