import { type AiChannels, lifecycleOf, type LifecycleWebhook } from '@carillon/history-ai';
import type { App } from '@carillon/app-registry';
import type { Receipt } from '@carillon/history-publish';
import type { Metrics } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Event } from './event.js';

/** A publish to one channel. */
export interface Published {
  readonly channel: string;
  readonly name: string;
  readonly extrasText: string | null;
}

/** Sends the webhooks of a publish other than the message itself: a mutable message, an AI run. */
export class PublishNews {
  constructor(
    private readonly webhooks: Pick<WebhookEvents, 'emit' | 'wants'>,
    private readonly ai: AiChannels,
    private readonly metrics: Pick<Metrics, 'counter'>,
  ) {}

  /** Sends those of each channel of the event, in order. */
  tell(app: App, event: Event, receipts: readonly Receipt[]): void {
    if (event.isEphemeral) return;
    const { name, extrasText, channels } = event;
    for (let index = 0; index < channels.length; index += 1) {
      const channel = channels[index]?.name;
      const receipt = receipts[index];
      if (channel !== undefined && receipt !== undefined)
        this.tellOne(app, { channel, name, extrasText }, receipt);
    }
  }

  /** Duplicates were reported by the first publish. */
  tellOne(app: App, { channel, name, extrasText }: Published, { isDuplicate, version }: Receipt): void {
    if (isDuplicate === true) return;
    if (version !== undefined && this.webhooks.wants(app, 'message_version_created'))
      this.webhooks.emit(app, {
        name: 'message_version_created',
        channel,
        message_serial: version.messageSerial,
        version_serial: version.versionSerial,
        action: 'message.create',
      });
    if (!this.ai.has(channel)) return;
    const told = lifecycleOf(name, extrasText);
    if (told === null) return;
    this.#count(app.id, told);
    if (this.webhooks.wants(app, told.name)) this.webhooks.emit(app, { ...told, channel });
  }

  #count(app_id: string, told: LifecycleWebhook): void {
    const { metrics } = this;
    switch (told.name) {
      case 'ai_run_started':
        return metrics.counter('ai_runs_started_total').for({ app_id }).add();
      case 'ai_run_ended':
        return metrics.counter('ai_runs_ended_total').for({ app_id, reason: told.reason }).add();
      case 'ai_turn_started':
        return metrics.counter('ai_turns_started_total').for({ app_id }).add();
      case 'ai_turn_ended':
        return metrics.counter('ai_turns_ended_total').for({ app_id, reason: told.reason }).add();
      case 'ai_cancel_requested':
      default:
        return metrics.counter('ai_cancel_signals_total').for({ app_id }).add();
    }
  }
}
