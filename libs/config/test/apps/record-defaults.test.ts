import { describe, expect, it } from 'vitest';
import { NO_EXTRA, parseAppRecord, type AppRecord } from '../../src/index.js';

const parse = (raw: unknown): AppRecord => parseAppRecord(raw, '').record as AppRecord;

describe('defaults of an app record', () => {
  it('fills in everything but the credentials', () => {
    const { id, key, secret, enabled, policy } = parse({ id: 'shop', key: 'shop-key', secret: 's3cr3t' });
    expect([id, key, secret.reveal(), enabled]).toEqual(['shop', 'shop-key', 's3cr3t', true]);
    expect(policy).toEqual({
      limits: {
        max_connections: 0,
        max_client_events_per_second: 0,
        max_backend_events_per_second: null,
        max_read_requests_per_second: null,
        max_presence_members_per_channel: null,
        max_presence_member_size_in_kb: null,
        max_channel_name_length: null,
        max_event_channels_at_once: null,
        max_event_name_length: null,
        max_event_payload_in_kb: null,
        max_event_batch_size: null,
        decay_seconds: 1,
        terminate_on_limit: false,
        message_rate_limit: null,
        extra: NO_EXTRA,
      },
      features: {
        enable_client_messages: false,
        enable_user_authentication: null,
        enable_watchlist_events: null,
        enable_subscription_count_events: null,
        extra: NO_EXTRA,
      },
      channels: {
        allowed_origins: null,
        annotations_enabled: null,
        channel_delta_compression: new Map(),
        channel_namespaces: [],
        extra: NO_EXTRA,
      },
      webhooks: [],
      idempotency: null,
      connection_recovery: null,
      history: null,
      presence_history: null,
      extra: NO_EXTRA,
    });
  });

  it('fills in the members of tables that are given in part', () => {
    const { limits, channels } = parse({
      id: 'a',
      key: 'k',
      secret: 's',
      policy: {
        limits: { message_rate_limit: { enabled: true } },
        channels: {
          channel_delta_compression: {
            'ticker-*': { algorithm: 'Xdelta3', conflation_key: 'symbol' },
            logs: 'Disabled',
          },
          channel_namespaces: [{ name: 'chat', history: { max_messages_per_channel: 500 } }],
        },
      },
    }).policy;
    expect(limits.message_rate_limit).toMatchObject({ enabled: true, max_attempts: 60, decay_seconds: 60 });
    expect(limits.message_rate_limit?.terminate_on_limit).toBe(false);
    expect(channels.channel_delta_compression.get('logs')).toBe('disabled');
    expect(channels.channel_delta_compression.get('ticker-*')).toEqual({
      enabled: true,
      algorithm: 'xdelta3',
      conflation_key: 'symbol',
      max_messages_per_key: 10,
      max_conflation_keys: 100,
      enable_tags: true,
      extra: NO_EXTRA,
    });
    expect(channels.channel_namespaces[0]).toMatchObject({
      channel_name_pattern: null,
      max_channel_name_length: null,
      annotations_enabled: null,
      allow_user_limited_channels: false,
      allow_subscribe_for_client: true,
      allow_publish_for_client: true,
      allow_presence_for_client: true,
      history: { rewind_enabled: null, max_messages_per_channel: 500 },
      presence_history: null,
    });
  });

  it('takes numbers written as text, and null as not set', () => {
    const { limits } = parse({
      id: 'a',
      key: 'k',
      secret: 's',
      policy: {
        limits: { max_connections: '500', max_event_batch_size: '0', decay_seconds: null },
        history: null,
      },
    }).policy;
    expect([limits.max_connections, limits.max_event_batch_size, limits.decay_seconds]).toEqual([500, 0, 1]);
  });
});
