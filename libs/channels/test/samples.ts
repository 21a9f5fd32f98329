import { App } from '@carillon/app-registry';
import { parseAppRecord } from '@carillon/config';
import type {
  ChannelRefusal,
  GlobalChannelSettings,
  PublishableChannel,
  SubscribableChannel,
} from '../src/index.js';

/** Default configuration. */
export const GLOBALS: GlobalChannelSettings = {
  history: {
    enabled: false,
    rewind_enabled: true,
    retention_window_seconds: 86_400,
    max_messages_per_channel: null,
    max_bytes_per_channel: null,
    max_events_per_channel: null,
  },
  presence_history: {
    enabled: false,
    retention_window_seconds: 86_400,
    max_events_per_channel: null,
    max_bytes_per_channel: null,
  },
  annotations: { enabled: false },
  connection_recovery: { enabled: false, buffer_ttl_seconds: 120, max_buffer_size: 100 },
};

/** An app with this policy, in the stored form. */
export function appWith(policy: object = {}): App {
  const parsed = parseAppRecord({ id: 'shop', key: 'shop-key', secret: 'shop-secret', policy }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return new App(parsed.record, {
    channel_limits: { max_name_length: 200 },
    event_limits: {
      max_name_length: 200,
      max_channels_at_once: null,
      max_payload_in_kb: null,
      max_batch_size: null,
    },
    presence: { max_members_per_channel: null, max_member_size_in_kb: null },
  });
}

/** An app with these namespaces, in the stored form. */
export const appWithNamespaces = (...namespaces: object[]): App =>
  appWith({ channels: { channel_namespaces: namespaces } });

/** `ok`, or the reason of the refusal. */
export function verdict(result: SubscribableChannel | PublishableChannel | ChannelRefusal): string {
  return result.accepted ? 'ok' : result.reason;
}

/** The channel; fails when it was refused. */
export function accepted<Channel extends SubscribableChannel>(result: Channel | ChannelRefusal): Channel {
  if (!result.accepted) throw new Error(`refused: ${result.reason}`);
  return result;
}
