import type { Channels, OrdinaryChannel } from '@carillon/channels';
import type { AppHub } from '../apps/app-hub.js';

/** The channel of this name as messages have it; null: it is a pattern, a channel of another kind, or none of the app at all. */
export function ordinaryChannel(channels: Channels, { app }: AppHub, name: string): OrdinaryChannel | null {
  const channel = channels.subscription(app, name, 2);
  return channel.accepted && channel.form === 'ordinary' ? channel : null;
}
