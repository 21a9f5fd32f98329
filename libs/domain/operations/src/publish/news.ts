import { type AiChannels, lifecycleOf } from '@carillon/ai-transport';
import type { App } from '@carillon/app-registry';
import type { Receipt } from '@carillon/publishing';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Event } from './event.js';

/** Tells the servers of an app what a publish means beside itself: a message that lives on, a run of an AI. */
export class PublishNews {
  constructor(
    private readonly webhooks: Pick<WebhookEvents, 'emit' | 'wants'>,
    private readonly ai: AiChannels,
  ) {}

  /** Of each channel of the event, in order. What was published before was told before. */
  tell(app: App, event: Event, receipts: readonly Receipt[]): void {
    for (const [index, { name: channel }] of event.channels.entries()) {
      const receipt = receipts[index];
      if (receipt === undefined || receipt.isDuplicate === true || event.isEphemeral) continue;
      if (receipt.version !== undefined && this.webhooks.wants(app, 'message_version_created'))
        this.webhooks.emit(app, {
          name: 'message_version_created',
          channel,
          message_serial: receipt.version.messageSerial,
          version_serial: receipt.version.versionSerial,
          action: 'message.create',
        });
      if (this.ai.has(channel)) this.#lifecycle(app, channel, event);
    }
  }

  #lifecycle(app: App, channel: string, { name, extrasText }: Event): void {
    const told = lifecycleOf(name, extrasText);
    if (told !== null && this.webhooks.wants(app, told.name)) this.webhooks.emit(app, { ...told, channel });
  }
}
