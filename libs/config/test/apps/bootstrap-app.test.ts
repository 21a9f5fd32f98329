import { describe, expect, it } from 'vitest';
import { bootstrapAppRecord, Secret } from '../../src/index.js';

const credentials = { id: 'demo', key: 'demo-key', secret: new Secret('demo-secret') };

describe('the app of the environment', () => {
  it('has no limit of its own that nobody gave it', () => {
    const { record } = bootstrapAppRecord(credentials);
    expect(record?.secret.reveal()).toBe('demo-secret');
    expect(record?.enabled).toBe(true);
    expect(record?.policy.limits).toMatchObject({
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
    });
    expect(record?.policy.features).toMatchObject({
      enable_client_messages: false,
      enable_user_authentication: null,
      enable_watchlist_events: null,
    });
    expect(record?.policy.channels).toMatchObject({ allowed_origins: null, annotations_enabled: null });
  });

  it('takes every variable that is set', () => {
    const { record, unknownKeys } = bootstrapAppRecord({
      ...credentials,
      max_connections: 0,
      max_backend_events_per_second: 5,
      max_read_requests_per_second: 6,
      enable_client_messages: true,
      enable_user_authentication: false,
      allowed_origins: ['*.example.com'],
      annotations_enabled: true,
    });
    expect(record?.policy.limits).toMatchObject({
      max_connections: 0,
      max_backend_events_per_second: 5,
      max_read_requests_per_second: 6,
    });
    expect(record?.policy.features).toMatchObject({
      enable_client_messages: true,
      enable_user_authentication: false,
    });
    expect(record?.policy.channels).toMatchObject({
      allowed_origins: ['*.example.com'],
      annotations_enabled: true,
    });
    expect(unknownKeys).toEqual([]);
  });

  it('names the variable that is wrong', () => {
    const { problems } = bootstrapAppRecord({
      ...credentials,
      id: 'a b',
      max_connections: -1,
      allowed_origins: ['*', ''],
    });
    expect(problems).toEqual([
      { path: 'SERVICE_DEFAULT_APP_ID', message: 'must be 1 to 64 characters [A-Za-z0-9_-]' },
      { path: 'SERVICE_DEFAULT_APP_MAX_CONNECTIONS', message: 'must be at least 0' },
      { path: 'SERVICE_DEFAULT_APP_ALLOWED_ORIGINS[1]', message: 'pattern must not be empty' },
    ]);
  });
});
