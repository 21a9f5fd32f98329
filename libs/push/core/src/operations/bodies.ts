import { RECIPIENT, TARGET } from './addresses.js';
import { body, integer, object, secret, text } from './fields.js';

export const CREDENTIAL = body([], {
  credentialId: text('Its name; that of the provider when absent.', 128),
  version: integer('Its version; one more than the stored one when absent.', 1),
  serviceAccountJson: {
    type: ['string', 'object'],
    writeOnly: true,
    description: 'FCM: the service account.',
  },
  environment: { enum: ['production', 'sandbox'], description: 'APNs; `production` when absent.' },
  topic: text('APNs: the bundle id.'),
  teamId: text('APNs: team of the key.'),
  keyId: text('APNs: id of the key.'),
  privateKey: secret('APNs: the key as PEM. Web Push: the VAPID key.'),
  pem: secret('APNs: certificate and key as PEM.'),
  p12: secret('APNs: certificate and key as base64 of a p12.'),
  p12Password: { type: 'string', writeOnly: true, description: 'APNs: password of the p12.' },
  publicKey: text('Web Push: the public VAPID key.'),
  subject: text('Web Push: whom push services may turn to, as `mailto:` or `https:`.'),
  hmsAppId: text('HMS: id of the app.'),
  packageSid: text('WNS: the package.'),
  tenantId: text('WNS: the tenant; absent: the older token service.'),
  clientSecret: secret('HMS and WNS: the secret.'),
});

export const TEMPLATE = body(['templateId', 'defaultLocale', 'locales'], {
  templateId: text('Its name.', 128),
  defaultLocale: text('One of `locales`.', 35),
  locales: object('Texts by locale: `title` and `body`, perhaps `icon`, `sound`, `collapseKey`.'),
  providerOverrides: object('Payloads by provider, each with `provider` and `payload`.'),
});

export const DEVICE = body(['id', 'formFactor', 'platform', 'timezone', 'locale', 'push'], {
  id: text('Id of the device.', 255),
  clientId: text('Whose device it is.', 255),
  formFactor: text('`phone`, `tablet`, `desktop`, `tv`, `car`, `watch`, `embedded` or `other`.'),
  platform: text('`android`, `ios`, `browser`, `windows`, `macos`, `watchos`, `tvos` or `other`.'),
  timezone: text('Name of the time zone.'),
  locale: text('Language tag.'),
  push: body(['recipient'], { recipient: RECIPIENT }),
  metadata: object('Whatever the app keeps with it, up to 4096 bytes.'),
  lastActiveAtMs: integer('When it was last seen.'),
  pushRatePolicy: body(['capacity', 'refillPerSecond'], {
    capacity: integer('So many pushes at once.'),
    refillPerSecond: integer('So many more every second.'),
  }),
});

export const SUBSCRIPTION = body(['channel'], {
  channel: text('Name of the channel.', 1000),
  deviceId: text('The device; wins over `clientId`.', 255),
  clientId: text('All devices of a client.', 255),
  credentialVersion: integer('Which version of the credential it was made with.'),
});

export const PUBLISH = body(['recipients', 'payload'], {
  recipients: {
    type: 'array',
    minItems: 1,
    maxItems: 1024,
    items: TARGET,
    description: 'Channels, devices, clients, addresses or audiences of providers.',
  },
  payload: object('`templateId` or `title` and `body`, and `templateData`.'),
  publishId: text('Its id; made when absent.', 255),
  providerOverrides: {
    type: 'array',
    items: { type: 'object' },
    description: 'Payloads that win, each with `provider` and `payload`.',
  },
  notBeforeMs: integer('Not sent before.'),
  expiresAtMs: integer('Not sent, and not tried again, after.'),
  sync: { type: 'boolean', description: 'Accepted for old callers; a publish is always asynchronous.' },
  idempotency_key: text('The publish is carried out once for this key.'),
});

export const PUBLISHES = { type: 'array', minItems: 1, maxItems: 100, items: PUBLISH };

export const DELIVERY = body(['publishId', 'eventId', 'occurredAtMs', 'result'], {
  publishId: text('Id of the publish.', 255),
  eventId: text('Told twice, it counts once.', 512),
  occurredAtMs: integer('When it happened.'),
  result: object('`provider`, `outcome`, `attempt`, and perhaps `deviceId` and `error`.'),
});
