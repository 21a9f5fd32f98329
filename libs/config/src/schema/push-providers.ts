import { bool, isUrl, list, optional, path, secret, string, table, u64 } from '../kernel/index.js';

/** The variable under both its names; the one without the common start wins. */
const names = (name: string, ...earlier: readonly string[]) => [...earlier, `PUSH_${name}`, name];

const text = (name: string, meaning: string) =>
  optional(string({ default: null, env: names(name), meaning }));
const hidden = (name: string, meaning: string) =>
  optional(secret({ default: null, env: names(name), meaning }));
const endpoint = (name: string, meaning: string) =>
  optional(string({ default: null, env: names(name), bounds: [isUrl], meaning }));
const credentialId = (name: string, initial: string) =>
  string({ default: initial, notEmpty: true, env: names(name), meaning: 'Id of the stored credential' });
const ceiling = (provider: string) =>
  u64({
    default: 0,
    env: [`PUSH_PROVIDER_${provider}_DAILY_QUOTA`, `PUSH_PROVIDER_${provider}_CEILING`],
    meaning: 'Recipients of one publish through this provider; 0 = no limit',
  });
const hosts = (env: string, meaning: string) => list({ default: [], env, meaning });

const storedApp = 'App whose stored credential is used';
const staticToken = 'Fixed access token, never refreshed';

/** Credentials and endpoints of the providers; all meant for the environment. */
export const fcm = table({
  project_id: text('FCM_PROJECT_ID', 'Project; unset = that of the service account'),
  service_account_json: hidden('FCM_SERVICE_ACCOUNT_JSON', 'Service account as JSON'),
  service_account_json_path: optional(
    path({
      default: null,
      env: names('FCM_SERVICE_ACCOUNT_JSON_PATH', 'GOOGLE_APPLICATION_CREDENTIALS'),
      meaning: 'File with the service account',
    }),
  ),
  application_default: bool({
    default: false,
    env: names('FCM_APPLICATION_DEFAULT'),
    meaning:
      'Use the application default credentials of Google: file, gcloud login or metadata server. `service_account_json` wins over them, they win over `service_account_json_path`',
  }),
  app_id: text('FCM_APP_ID', storedApp),
  credential_id: credentialId('FCM_CREDENTIAL_ID', 'fcm'),
  provider_token: hidden('FCM_PROVIDER_TOKEN', staticToken),
  endpoint: endpoint('FCM_ENDPOINT', 'Endpoint instead of the public one'),
  ceiling: ceiling('FCM'),
});

export const apns = table({
  topic: text('APNS_TOPIC', 'Topic'),
  team_id: text('APNS_TEAM_ID', 'Team'),
  key_id: text('APNS_KEY_ID', 'Id of the signing key'),
  private_key: hidden(
    'APNS_PRIVATE_KEY',
    'Signing key as PEM; the two characters `\\n` stand for a line break',
  ),
  private_key_path: optional(
    path({ default: null, env: names('APNS_PRIVATE_KEY_PATH'), meaning: 'File with the signing key' }),
  ),
  app_id: text('APNS_APP_ID', storedApp),
  credential_id: credentialId('APNS_CREDENTIAL_ID', 'apns'),
  provider_token: hidden('APNS_PROVIDER_TOKEN', staticToken),
  endpoint: endpoint('APNS_ENDPOINT', 'Endpoint instead of the public ones'),
  ceiling: ceiling('APNS'),
});

export const webpush = table({
  vapid_private_key: optional(
    secret({
      default: null,
      env: ['PUSH_WEBPUSH_VAPID_PRIVATE_KEY', 'VAPID_PRIVATE_KEY'],
      meaning: 'Signing key',
    }),
  ),
  vapid_contact: optional(
    string({
      default: null,
      env: ['PUSH_WEBPUSH_VAPID_CONTACT', 'VAPID_CONTACT'],
      meaning: 'Contact of the operator',
    }),
  ),
  app_id: text('WEBPUSH_APP_ID', storedApp),
  credential_id: credentialId('WEBPUSH_CREDENTIAL_ID', 'webpush'),
  allow_local_endpoints: bool({
    default: false,
    env: 'PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS',
    meaning: 'Allow endpoints inside the own network; never in production',
  }),
  allowed_hosts: hosts(
    'PUSH_WEBPUSH_ALLOWED_HOSTS',
    'Only these endpoint hosts; a leading dot covers sub-domains; empty = all',
  ),
  denied_hosts: hosts('PUSH_WEBPUSH_DENIED_HOSTS', 'Never these endpoint hosts'),
  ceiling: ceiling('WEBPUSH'),
});

export const hms = table({
  app_id: text('HMS_APP_ID', 'App id at the provider'),
  credential_app_id: text('HMS_CREDENTIAL_APP_ID', storedApp),
  credential_id: credentialId('HMS_CREDENTIAL_ID', 'hms'),
  provider_token: hidden('HMS_PROVIDER_TOKEN', staticToken),
  endpoint: endpoint('HMS_ENDPOINT', 'Endpoint instead of the public one'),
  ceiling: ceiling('HMS'),
});

export const wns = table({
  app_id: text('WNS_APP_ID', storedApp),
  credential_id: credentialId('WNS_CREDENTIAL_ID', 'wns'),
  provider_token: hidden('WNS_PROVIDER_TOKEN', staticToken),
  endpoint: endpoint('WNS_ENDPOINT', 'Token endpoint instead of the public one'),
  allowed_hosts: hosts('PUSH_WNS_ALLOWED_HOSTS', 'Further channel hosts, for tests'),
  ceiling: ceiling('WNS'),
});
