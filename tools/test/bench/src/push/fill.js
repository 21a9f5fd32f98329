// Devices and their subscriptions, as many as wanted, straight into the tables.
import { APP_ID } from './fleet.js';

const AT_ONCE = 50_000;

/** How the database writes the address of a device; `$2` is its number. @type {Record<'gcm' | 'web', (more: { clouds: string, p256dh: string, auth: string }) => string>} */
const ADDRESS = {
  gcm: () => `json_build_object('transportType', 'gcm', 'registrationToken', name)::text`,
  web: ({ clouds, p256dh, auth }) => `json_build_object('transportType', 'web',
    'endpoint', '${clouds}/webpush/' || name, 'p256dh', '${p256dh}', 'auth', '${auth}')::text`,
};

/**
 * @param {import('@carillon/database').Database} sql
 * @param {{ channel: string, count: number, transport: 'gcm' | 'web', clouds: string, p256dh: string, auth: string }} what
 */
export async function fill(sql, { channel, count, transport, ...more }) {
  const provider = transport === 'gcm' ? 'fcm' : 'webpush';
  for (let from = 0; from < count; from += AT_ONCE) {
    const until = Math.min(count, from + AT_ONCE) - 1;
    const names = `select '${channel}-' || lpad(n::text, 9, '0') as name from generate_series($1::int, $2::int) n`;
    await sql.query(
      `insert into push_devices (app_id, device_id, form_factor, platform, identity_hash, timezone, locale,
         last_active_ms, state, failure_count, transport, provider, token_hash, recipient, created_ms, updated_ms)
       select '${APP_ID}', name, 'phone', 'other', 'none', 'UTC', 'en', 0, 'ACTIVE', 0, '${transport}', '${provider}',
         encode(sha256(convert_to(name, 'UTF8')), 'hex'), ${ADDRESS[transport](more)}, 0, 0
       from (${names}) devices`,
      [from, until],
    );
    await sql.query(
      `insert into push_subscriptions (app_id, channel, device_id, provider, token_hash, updated_ms)
       select '${APP_ID}', '${channel}', name, '${provider}', encode(sha256(convert_to(name, 'UTF8')), 'hex'), 0
       from (${names}) devices`,
      [from, until],
    );
  }
  await sql.query('analyze push_devices, push_subscriptions');
}
