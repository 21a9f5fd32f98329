import { type AiChannels, checkHeaders, type HeaderLimits } from '@carillon/history-ai';
import type { PublishableChannel } from '@carillon/channels';
import { ServiceError } from '@carillon/errors';

export { isAiEvent } from '@carillon/history-ai';

const MAX_MESSAGE_ID_BYTES = 64;

/** Parts of a publish checked by AI transport. */
export interface AiContent {
  /** Whether its event belongs to AI transport by its name. */
  readonly isEvent: boolean;
  /** Parsed `extras.ai`; undefined: missing. */
  readonly headers: unknown;
  readonly messageId: string | undefined;
}

/** Admission rules of AI transport. */
export class AiRules {
  constructor(
    private readonly ai: AiChannels,
    private readonly limits: HeaderLimits,
  ) {}

  /**
   * @throws ServiceError 403 for AI content on a channel without AI transport, the error of invalid headers, and 400
   * for a message id that an AI channel does not accept
   */
  check({ isEvent, headers, messageId }: AiContent, channels: readonly PublishableChannel[]): void {
    const isAiContent = isEvent || headers !== undefined;
    const count = channels.filter(({ name }) => this.ai.has(name)).length;
    if (isAiContent && count < channels.length) throw new ServiceError('ai_event_not_permitted');
    if (count === 0) return;
    const refusal = headers === undefined ? null : checkHeaders(headers, this.limits);
    if (refusal !== null) throw new ServiceError(refusal.code, { text: refusal.text });
    if (messageId === undefined) return;
    if (messageId === '')
      throw new ServiceError('ai_invalid_transport_header', { text: 'message_id must not be empty' });
    if (Buffer.byteLength(messageId) > MAX_MESSAGE_ID_BYTES)
      throw new ServiceError('ai_header_too_large', {
        status: 400,
        text: `message_id is longer than ${MAX_MESSAGE_ID_BYTES} bytes`,
      });
  }
}
