import type { Extras } from '../format/frame.js';
import { AiStream, type StreamOptions } from './ai-stream.js';
import type { Messages } from './messages.js';

type AiExtras = NonNullable<Extras['ai']>;

/** What an AI channel is for: questions from people, answers that grow while they are read. */
export class Ai {
  constructor(
    private readonly channel: string,
    private readonly messages: Messages,
    private readonly send: (event: string, ai: AiExtras, data: unknown) => string,
  ) {}

  /** An answer that grows. For whoever may publish with the app's own rights. */
  stream(options: StreamOptions = {}): AiStream {
    return new AiStream(this.channel, this.messages, options);
  }

  /** Asks something; returns the message's id. */
  input(data: unknown, ai: AiExtras = {}): string {
    return this.send('ai-input', ai, data);
  }

  /** Asks that a run be stopped; returns the message's id. */
  cancel(runId: string, ai: AiExtras = {}): string {
    return this.send('ai-cancel', { ...ai, transport: { ...ai.transport, 'run-id': runId } }, {});
  }
}
