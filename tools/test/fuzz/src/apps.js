// The apps that names and events are judged for, as the service has them and as the restated rules need them.
import { App } from '@carillon/app-registry';
import { parseAppRecord } from '@carillon/config';

/**
 * @typedef {object} NamespaceShape
 * @property {RegExp} pattern
 * @property {number | null} longest
 * @property {boolean} userLimited
 * @property {boolean} subscribe
 */

/**
 * @typedef {object} AppCase
 * @property {string} name
 * @property {App} app
 * @property {number} longest
 * @property {ReadonlyMap<string, NamespaceShape>} namespaces
 */

/** As the configuration has them when nothing is set. */
export const GLOBALS = {
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

/** @param {object} policy */
function appWith(policy) {
  const { record, problems } = parseAppRecord(
    { id: 'shop', key: 'shop-key', secret: 'shop-secret', policy },
    '',
  );
  if (record === null) throw new Error(JSON.stringify(problems));
  return new App(record, {
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

const NAMESPACES = [
  {
    name: 'chat',
    channel_name_pattern: '^chat:[a-z0-9-]+$',
    max_channel_name_length: 40,
    allow_user_limited_channels: true,
  },
  { name: 'ns', allow_user_limited_channels: true },
  { name: 'room' },
  { name: 'closed', allow_subscribe_for_client: false, allow_publish_for_client: false },
];

/** @type {ReadonlyMap<string, NamespaceShape>} */
const SHAPES = new Map(
  NAMESPACES.map((one) => [
    one.name,
    {
      pattern: new RegExp(one.channel_name_pattern ?? ''),
      longest: one.max_channel_name_length ?? null,
      userLimited: one.allow_user_limited_channels ?? false,
      subscribe: one.allow_subscribe_for_client ?? true,
    },
  ]),
);

/** @type {readonly AppCase[]} */
export const APPS = [
  { name: 'plain', app: appWith({}), longest: 200, namespaces: new Map() },
  {
    name: 'short names',
    app: appWith({ limits: { max_channel_name_length: 20 } }),
    longest: 20,
    namespaces: new Map(),
  },
  {
    name: 'unlimited names',
    app: appWith({ limits: { max_channel_name_length: 0 } }),
    longest: Infinity,
    namespaces: new Map(),
  },
  {
    name: 'namespaces',
    app: appWith({ channels: { channel_namespaces: NAMESPACES } }),
    longest: 200,
    namespaces: SHAPES,
  },
];
