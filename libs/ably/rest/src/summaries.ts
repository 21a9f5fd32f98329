import { messageRules, orRefused, summaryOf, type WireMessage } from '@carillon/ably-core';
import type { MessageReader } from '@carillon/history-reader';
import type { Access } from './access.js';

/** Adds annotation summaries to messages. */
export class Summaries {
  constructor(
    /** Null: this process has no way to them. */
    private readonly reader: Pick<MessageReader, 'summaries'> | null,
  ) {}

  /** The same messages, those with annotations together with them. */
  async added(
    { principal, channel }: Access,
    messages: readonly WireMessage[],
  ): Promise<readonly WireMessage[]> {
    const serials = messages.flatMap(({ serial }) => serial ?? []);
    if (this.reader === null || serials.length === 0 || !channel.policy.annotationsEnabled) return messages;
    const place = { appId: principal.app.id, channel: channel.name };
    const { maxBytes } = messageRules(principal.app);
    const found = await orRefused(this.reader.summaries(place, serials, maxBytes));
    return messages.map((message) => {
      const summary = found.get(message.serial ?? '');
      return summary === undefined ? message : { ...message, annotations: { summary: summaryOf(summary) } };
    });
  }
}
