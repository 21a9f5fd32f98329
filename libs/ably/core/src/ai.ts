import {
  AI_EVENTS,
  type AiChannels,
  checkHeaders,
  checkIdentity,
  type HeaderLimits,
  isAiEvent,
} from '@carillon/history-ai';
import { ServiceError } from '@carillon/errors';
import type { Principal } from './authentication.js';
import { isObject, type JsonObject } from './json.js';
import type { NewMessage } from './message/read-message.js';

/** Operations of which an agent needs one to stream an answer. A client with any of them is trusted as an agent. */
const TRUSTED = ['update', 'append'].flatMap((what) => [`message-${what}-any`, `message-${what}-own`]);

/** Judges messages on channels of AI transport, or with its headers, or under its names. */
export class AiMessages {
  constructor(
    private readonly channels: Pick<AiChannels, 'has'>,
    private readonly limits: HeaderLimits,
  ) {}

  /**
   * Returns the message to publish, with a header that names its client if the kind of message requires it.
   *
   * @throws ServiceError if AI transport rejects the message.
   */
  judged(message: NewMessage, principal: Principal, channel: string): NewMessage {
    const name = message.name ?? '';
    const ai = message.extras?.['ai'];
    if (!isAiEvent(name) && (ai === undefined || ai === null)) return message;
    const kind = AI_EVENTS.get(name);
    const isTrusted = mayStream(principal, channel);
    if (!this.channels.has(channel) || (kind?.fromClients === false && !isTrusted))
      throw new ServiceError('ai_event_not_permitted');
    const headers = isObject(ai) ? ai : {};
    const refusal = checkHeaders(ai ?? {}, this.limits) ?? spoofed(headers, message, isTrusted);
    if (refusal !== null) throw new ServiceError(refusal.code, { text: refusal.text });
    const stamped = kind?.stamped ?? null;
    if (stamped === null || message.clientId === null) return message;
    return { ...message, extras: { ...message.extras, ai: withHeader(headers, stamped, message.clientId) } };
  }
}

const mayStream = ({ isKey, capability }: Principal, channel: string): boolean =>
  isKey || TRUSTED.some((operation) => capability.allows(operation, channel));

/** Trusted publishers may omit the client they act for; without a clientId of their own they may act for any client. */
function spoofed(ai: JsonObject, { clientId }: NewMessage, isTrusted: boolean) {
  if (!isTrusted) return checkIdentity(ai, clientId ?? '');
  return clientId === null ? null : checkIdentity(withoutEmpty(ai), clientId);
}

function withoutEmpty(ai: JsonObject): JsonObject {
  const transport = isObject(ai['transport']) ? ai['transport'] : {};
  return { transport: Object.fromEntries(Object.entries(transport).filter(([, value]) => value !== '')) };
}

function withHeader(ai: JsonObject, name: string, value: string): JsonObject {
  const transport = isObject(ai['transport']) ? ai['transport'] : {};
  return { ...ai, transport: { ...transport, [name]: value } };
}
