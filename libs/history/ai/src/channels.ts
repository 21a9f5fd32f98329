import type { Config } from '@carillon/config';

/** Channels with AI transport, and the limits of their streams. */
export class AiChannels {
  readonly #prefixes: readonly string[];

  constructor(private readonly settings: Config['ai_transport']) {
    const prefixes = settings.enabled ? settings.channels.map(({ prefix }) => prefix) : [];
    this.#prefixes = prefixes.filter((prefix) => prefix !== '');
  }

  has(channel: string): boolean {
    return this.#prefixes.some((prefix) => channel.startsWith(prefix));
  }

  /** Limits checked by the commit of a record; null: no AI channel. */
  limitsOf(channel: string): AiLimits | null {
    if (!this.has(channel)) return null;
    const { settings } = this;
    return {
      max_accumulated_message_bytes: settings.max_accumulated_message_bytes,
      max_appends_per_message: settings.max_appends_per_message,
      max_open_streaming_messages: settings.max_open_streaming_messages_per_channel,
    };
  }
}

/** Limits as carried by a record. */
export interface AiLimits {
  readonly max_accumulated_message_bytes: number;
  readonly max_appends_per_message: number;
  readonly max_open_streaming_messages: number;
}
