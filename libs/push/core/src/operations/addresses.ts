import { body, type Schema, text } from './fields.js';

const TOKEN_BYTES = 4096;
const URL_BYTES = 2048;

/** Schema of alternatives, distinguished by a member. */
const oneOf = (
  member: string,
  description: string,
  ways: Readonly<Record<string, { readonly required: readonly string[]; readonly properties: Schema }>>,
): Schema => ({
  description,
  oneOf: Object.entries(ways).map(([name, { required, properties }]) =>
    body([member, ...required], { [member]: { const: name }, ...(properties as Record<string, Schema>) }),
  ),
});

const whole = (properties: Schema) => ({ required: Object.keys(properties), properties });
const named = (properties: Schema) => ({ required: [], properties });

/** The address of a device. */
export const RECIPIENT = oneOf('transportType', 'Where the device is reached.', {
  gcm: whole({ registrationToken: text('Of FCM.', TOKEN_BYTES) }),
  apns: whole({ deviceToken: text('Of APNs: letters, digits, `_` and `-`.', 512) }),
  web: whole({
    endpoint: text('Of the push service, by `https`.', URL_BYTES),
    p256dh: text('Key of the browser: base64url of 65 bytes.', 512),
    auth: text('Secret of the browser: base64url of 16 bytes.', 512),
  }),
  hms: whole({ registrationToken: text('Of HMS.', TOKEN_BYTES) }),
  wns: whole({ channelUri: text('Of WNS, by `https`.', URL_BYTES) }),
  realtime: whole({
    channel: text(
      'A channel, on which each push is a message `__ably_push__`. Only where `compat.enabled` is set.',
      URL_BYTES,
    ),
  }),
});

const PROVIDER = text('`fcm` or `hms`.');

/** Target of a push. */
export const TARGET = oneOf('type', 'Whom it is for.', {
  device: named({ deviceId: text('Id of the device.', 255) }),
  client: named({ clientId: text('All devices of a client.', 255) }),
  channel: whole({ channel: text('Devices and clients that subscribe to it.', 1000) }),
  recipient: whole({ recipient: RECIPIENT }),
  providerTopic: whole({ provider: PROVIDER, topic: text('A topic of the provider.', 1000) }),
  providerCondition: whole({
    provider: PROVIDER,
    condition: text('A condition on topics of the provider.', 1000),
  }),
});
