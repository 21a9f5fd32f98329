import type { Channels, OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';

/**
 * Returns the channel of messages under this name; null if it is a pattern, a channel of another kind, or not
 * accepted by the app.
 */
export function ordinaryChannel(channels: Channels, { app }: AppHub, name: string): OrdinaryChannel | null {
  const channel = channels.subscription(app, name, 2);
  return channel.accepted && channel.form === 'ordinary' ? channel : null;
}
