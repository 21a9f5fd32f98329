import type { App } from '@carillon/app-registry';
import { Capability, type CompatCore, CompatError, readOwnChannelName } from '@carillon/ably-core';
import { type ChannelDelivery, type ChannelMessage, ChannelRefused } from '@carillon/push-core';

/** The event that libraries take for a push. */
const EVENT = '__ably_push__';

/**
 * A push as the message of a channel, by its base name; once for its id.
 *
 * @throws CompatError, in a promise
 */
export async function publishPush(
  core: CompatCore,
  app: App,
  { channel, id, text }: Pick<ChannelMessage, 'channel' | 'id' | 'text'>,
): Promise<void> {
  // The service publishes on behalf of the authorized caller.
  const principal = {
    app,
    keyName: app.key,
    capability: Capability.everything,
    isKey: true,
    clientId: null,
    mayBeAnybody: true,
    expiresMs: null,
    revocable: null,
  };
  const message = { id, name: EVENT, data: text, encoding: null, clientId: null, extras: null };
  await core.publisher.publish({
    principal,
    channel: core.channel(app, channel),
    messages: [message],
    connectionId: null,
    base: null,
  });
}

/** Delivers pushes to devices whose address is a channel. */
export class ChannelPushes implements ChannelDelivery {
  constructor(private readonly core: CompatCore) {}

  async deliver({ appId, channel, id, text }: ChannelMessage): Promise<void> {
    try {
      const { base } = readOwnChannelName(channel);
      await publishPush(this.core, await this.core.app(appId), { channel: base, id, text });
    } catch (error) {
      const isLasting = error instanceof CompatError && error.statusCode < 500 && error.statusCode !== 429;
      throw isLasting ? new ChannelRefused(error.message) : error;
    }
  }
}
