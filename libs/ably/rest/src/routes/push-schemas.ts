import { anything, type JsonSchema, mapOf, object, text } from '@carillon/api-operations';
import { ERROR } from './schemas.js';

const map = (description: string) => mapOf(anything('Any JSON.'), description);

const RECIPIENT = map(
  'By `transportType`: fcm or gcm (`registrationToken`), apns (`deviceToken`), web (`targetUrl` and `encryptionKey`, or ' +
    '`endpoint`, `p256dh` and `auth`), hms (`registrationToken`), wns (`channelUri`), ablyChannel (`channel`).',
);
const id = text('Id of the device.');
const clientId = text('Whose device it is.');
const platform = text('`android`, `ios`, `browser`, `windows`, `macos`, `watchos`, `tvos` or `other`.');
const formFactor = text('`phone`, `tablet`, `desktop`, `tv`, `car`, `watch`, `embedded` or `other`.');
const metadata = anything('Whatever the app keeps with it.');

const more = { clientId, metadata, timezone: text('`UTC` when absent.'), locale: text('`en` when absent.') };
const push = object({ recipient: RECIPIENT });
export const NEW_DEVICE = object({ id, platform, formFactor, push }, more);
/** Body of a device whose id is in the path. */
export const DEVICE_AT_PATH = object({ platform, formFactor, push }, { id, ...more });
export const DEVICE_CHANGE = object({}, { id, platform, formFactor, push, ...more });

const known = {
  id,
  platform,
  formFactor,
  metadata,
  push: object({ recipient: RECIPIENT, state: text('`ACTIVE`, `FAILING` or `FAILED`.') }, { error: ERROR }),
};
export const DEVICE = object(known, { clientId });
export const REGISTERED_DEVICE = object(known, {
  clientId,
  deviceIdentityToken: object({
    token: text('Told once; the device proves itself with it.'),
    keyName: text('By which key it was registered.'),
    issued: anything('When, in milliseconds since 1970.'),
    expires: anything('Null: never.'),
    capability: text('JSON text of what it grants.'),
  }),
});

export const SUBSCRIPTION = object(
  { channel: text('Name of the channel.') },
  { deviceId: text('The device.'), clientId: text('All devices of a client.') },
);

const ONE_OR_MANY: JsonSchema = {
  description: '`{deviceId}`, `{clientId}` or an address of a device.',
  anyOf: [{ type: 'object' }, { type: 'array', minItems: 1, maxItems: 1024, items: { type: 'object' } }],
};
export const PUSH: JsonSchema = {
  type: 'object',
  required: ['recipient'],
  properties: {
    recipient: ONE_OR_MANY,
    notification: map('`title`, `body`, `icon`, `sound` and `collapseKey`.').schema,
    data: map('What the app is given.').schema,
    apns: map('What APNs is given instead.').schema,
    fcm: map('What FCM is given instead.').schema,
    web: map('What browsers are given instead.').schema,
  },
};
