import { createHmac } from 'node:crypto';
import { SOURCE } from '../restate/hmac.js';

/**
 * @typedef {object} LiveApp
 * @property {string} id
 * @property {string} key
 * @property {string} secret
 */

/** @param {string} id @returns {LiveApp} */
const app = (id) => ({ id, key: `${id}-key`, secret: `${id}-secret` });

/** Nobody hostile knows it. */
export const STEADY = app('steady');
/** Everything on; hostile and innocent clients side by side. */
export const OPEN = app('open');
const NAMESPACED = app('namespaced');
/** Full after a few connections, strict about rates. */
export const STRICT = app('strict');
const DISABLED = app('disabled');
const UNKNOWN = app('unknown');

/** Whom hostile clients connect to; those that answer with more than a close code come more often. */
export const HOSTILE_APPS = [OPEN, OPEN, OPEN, NAMESPACED, NAMESPACED, STRICT, DISABLED, UNKNOWN];

/** @param {LiveApp} one @param {string} policy */
const entry = ({ id, key, secret }, policy) => `
[[app_manager.array.apps]]
id = "${id}"
key = "${key}"
secret = "${secret}"
enabled = ${id !== DISABLED.id}
${policy}`;

const EVERYTHING = `
[app_manager.array.apps.policy.features]
enable_client_messages = true
enable_user_authentication = true
enable_watchlist_events = true
enable_subscription_count_events = true
`;

/** The configuration of the server under fire. */
export const CONFIGURATION = [
  entry(STEADY, EVERYTHING),
  entry(OPEN, EVERYTHING),
  entry(
    NAMESPACED,
    `${EVERYTHING}
[app_manager.array.apps.policy.limits]
max_presence_members_per_channel = 3
max_presence_member_size_in_kb = 1
max_event_payload_in_kb = 1
max_channel_name_length = 60
[[app_manager.array.apps.policy.channels.channel_namespaces]]
name = "chat"
channel_name_pattern = "^chat:[a-z0-9-]+$"
max_channel_name_length = 40
allow_user_limited_channels = true
[[app_manager.array.apps.policy.channels.channel_namespaces]]
name = "closed"
allow_subscribe_for_client = false
allow_publish_for_client = false
`,
  ),
  entry(
    STRICT,
    `
[app_manager.array.apps.policy.features]
enable_client_messages = true
[app_manager.array.apps.policy.limits]
max_connections = 3
max_client_events_per_second = 2
[app_manager.array.apps.policy.limits.message_rate_limit]
enabled = true
max_attempts = 5
decay_seconds = 1
terminate_on_limit = true
[app_manager.array.apps.policy.channels]
allowed_origins = ["*.example.com"]
`,
  ),
  entry(DISABLED, ''),
  // Whose servers publish.
  entry({ id: SOURCE.appId, key: SOURCE.key, secret: SOURCE.secret }, ''),
].join('\n');

/** @param {LiveApp} owner @param {string} message */
export const signature = ({ secret }, message) => createHmac('sha256', secret).update(message).digest('hex');
