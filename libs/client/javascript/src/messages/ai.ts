import type { Extras } from '../format/frame.js';
import { AiStream, type StreamOptions } from './ai-stream.js';
import type { Sending } from '../channel/receipts.js';
import type { Messages } from './messages.js';

type AiExtras = NonNullable<Extras['ai']>;

/** The operations of an AI channel: user prompts, and answers that stream to their readers. */
export class Ai {
  constructor(
    private readonly channel: string,
    private readonly messages: Messages,
    private readonly send: (event: string, ai: AiExtras, data: unknown) => Sending,
  ) {}

  /** Starts a streamed answer. Requires publishing with the app's own rights. */
  stream(options: StreamOptions = {}): AiStream {
    return new AiStream(this.channel, this.messages, options);
  }

  /** Sends a question; resolves as `Channel.send` does. */
  input(data: unknown, ai: AiExtras = {}): Sending {
    return this.send('ai-input', ai, data);
  }

  /** Requests the end of a run; resolves as `Channel.send` does. */
  cancel(runId: string, ai: AiExtras = {}): Sending {
    return this.send('ai-cancel', { ...ai, transport: { ...ai.transport, 'run-id': runId } }, {});
  }
}
