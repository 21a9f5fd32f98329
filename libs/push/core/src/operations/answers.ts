/** Schema of an answer for documents and tools: members that are always present are required. */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const textOrNull: Schema = { type: ['string', 'null'] };
const integer: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };
const object: Schema = { type: 'object' };

const answer = (
  always: Readonly<Record<string, Schema>>,
  perhaps: Readonly<Record<string, Schema>> = {},
) => ({
  type: 'object',
  required: Object.keys(always),
  properties: { ...always, ...perhaps },
});

const pageOf = (items: Schema): Schema =>
  answer({ items: { type: 'array', items }, next_cursor: textOrNull, has_more: flag });

export const CREDENTIAL_ANSWER = answer({
  app_id: text,
  credential_id: text,
  provider: text,
  version: integer,
});
export const CREDENTIALS_ANSWER = pageOf(CREDENTIAL_ANSWER);

export const TEMPLATE_ANSWER = answer({
  appId: text,
  templateId: text,
  defaultLocale: text,
  locales: object,
  providerOverrides: object,
});
export const TEMPLATES_ANSWER = pageOf(TEMPLATE_ANSWER);

export const DEVICE_ANSWER = answer(
  {
    appId: text,
    id: text,
    clientId: textOrNull,
    formFactor: text,
    platform: text,
    pushState: text,
    pushFailureCount: integer,
    recipient: object,
  },
  { pushErrorReason: text },
);
export const DEVICES_ANSWER = pageOf(DEVICE_ANSWER);
export const REGISTERED_ANSWER = answer(
  { change: { enum: ['inserted', 'unchanged', 'updated'] }, tokenHash: text, device: DEVICE_ANSWER },
  { deviceIdentityToken: { ...text, description: 'Told once; the device proves itself with it.' } },
);
export const REMOVED_ANSWER = answer({ deleted: integer }, { consistency: text });

export const SUBSCRIPTION_ANSWER = answer(
  { appId: text, channel: text },
  { deviceId: text, clientId: text, provider: text, tokenHash: text, credentialVersion: integer },
);
export const SUBSCRIPTIONS_ANSWER = pageOf(SUBSCRIPTION_ANSWER);
export const CHANNELS_ANSWER = pageOf(text);

export const ACCEPTED_ANSWER = answer(
  {
    publishId: text,
    status: text,
    expectedRecipients: integer,
    renderedPayloads: { type: 'array', items: object },
  },
  { fanoutRegime: text, errorReason: text, duplicate: flag },
);
export const BATCH_ANSWER = answer({ items: { type: 'array', items: object } });
export const STATUS_ANSWER = answer(
  {
    appId: text,
    publishId: text,
    state: text,
    counters: object,
    createdAtMs: integer,
    updatedAtMs: integer,
  },
  { fanoutRegime: text, retryAfterMs: integer, errorReason: text },
);

export const DEAD_LETTERS_ANSWER = pageOf(
  answer(
    {
      deadLetterId: text,
      appId: text,
      publishId: textOrNull,
      stage: text,
      reason: text,
      occurredAtMs: integer,
      replayable: flag,
    },
    { provider: text },
  ),
);
export const REPLAYED_ANSWER = answer({ deadLetterId: text, replayed: flag, messageId: text });
export const DELIVERY_ANSWER = answer({ appId: text, publishId: text, eventId: text });
