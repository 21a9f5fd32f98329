import type { PublishableChannel } from '@carillon/channels';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';

const AI_EVENTS: ReadonlySet<string> = new Set([
  'ai-input',
  'ai-output',
  'ai-run-start',
  'ai-run-suspend',
  'ai-run-resume',
  'ai-run-end',
  'ai-cancel',
  'ai-step-start',
  'ai-step-end',
  'ai-turn-start',
  'ai-turn-end',
]);
const MAX_MESSAGE_ID_BYTES = 64;

/** Whether an event belongs to AI transport by its name. */
export const isAiEvent = (name: string): boolean => AI_EVENTS.has(name);

/** Which publishes AI transport admits. */
export class AiRules {
  readonly #prefixes: readonly string[];

  constructor({ enabled, channels }: Config['ai_transport']) {
    this.#prefixes = enabled ? channels.map(({ prefix }) => prefix) : [];
  }

  /**
   * @throws ServiceError 403 for AI content on a channel without AI transport, 400 for a message id that an AI channel
   * does not take.
   */
  check(isAiContent: boolean, messageId: string | undefined, channels: readonly PublishableChannel[]): void {
    if (!isAiContent && this.#prefixes.length === 0) return;
    const ai = channels.filter(({ name }) => this.#prefixes.some((prefix) => name.startsWith(prefix)));
    if (isAiContent && ai.length < channels.length) throw new ServiceError('ai_event_not_permitted');
    if (ai.length === 0 || messageId === undefined) return;
    if (messageId === '') {
      throw new ServiceError('ai_invalid_transport_header', { text: 'message_id must not be empty' });
    }
    if (Buffer.byteLength(messageId) > MAX_MESSAGE_ID_BYTES) {
      throw new ServiceError('ai_header_too_large', {
        status: 400,
        text: `message_id is longer than ${MAX_MESSAGE_ID_BYTES} bytes`,
      });
    }
  }
}
