/** A body as the document and tools show it. Whatever reads it judges it, also where this says nothing. */
type Schema = Readonly<Record<string, unknown>>;

const text = (description: string, maxLength?: number): Schema => ({
  type: 'string',
  minLength: 1,
  ...(maxLength === undefined ? {} : { maxLength }),
  description,
});
const secret = (description: string): Schema => ({
  type: 'string',
  minLength: 1,
  writeOnly: true,
  description,
});
const integer = (description: string, minimum = 0): Schema => ({ type: 'integer', minimum, description });
const object = (description: string): Schema => ({ type: 'object', description });

const body = (required: readonly string[], properties: Readonly<Record<string, Schema>>) => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required }),
  properties,
});

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
  push: object('`recipient` with its `transportType` and address.'),
  metadata: object('Whatever the app keeps with it, up to 4096 bytes.'),
  lastActiveAtMs: integer('When it was last seen.'),
  pushRatePolicy: object('`maxPerMinute` and the like.'),
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
    items: { type: 'object' },
    description: 'Channels, devices, clients or addresses of providers.',
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
