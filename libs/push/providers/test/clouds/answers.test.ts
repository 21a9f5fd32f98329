import { whyMissing } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ErrorClass,
  FailureClass,
  PushClient,
  Cloud as Provider,
  SendOutcome,
} from '../../src/index.js';
import { CloudRoom, CREDENTIALS } from './room.js';

type Expected = readonly ['accepted' | 'rejected' | 'retryable', ErrorClass?, FailureClass?];

const accepted: Expected = ['accepted'];
const invalidToken: Expected = ['rejected', 'invalid_token', 'device_terminal'];
const payload: Expected = ['rejected', 'invalid_payload', 'caller_payload'];
const auth: Expected = ['rejected', 'auth_failure', 'credential_auth'];
const authLater: Expected = ['retryable', 'auth_failure', 'credential_auth'];
const project: Expected = ['rejected', 'project_mismatch', 'credential_auth'];
const topic: Expected = ['rejected', 'apns_topic_mismatch', 'credential_auth'];
const quota: Expected = ['retryable', 'quota', 'provider_quota'];
const unavailable: Expected = ['retryable', 'unavailable', 'provider_transient'];
const other: Expected = ['rejected', 'provider_rejected', 'unknown'];

/** Expected outcome of every documented response. */
const MEANINGS: Readonly<Record<Provider, Readonly<Record<string, Expected>>>> = {
  fcm: {
    UNREGISTERED: invalidToken,
    INVALID_ARGUMENT: payload,
    INVALID_TOKEN: invalidToken,
    INVALID_TOKEN_TEXT: invalidToken,
    OLD_NAME: invalidToken,
    SENDER_ID_MISMATCH: project,
    PERMISSION_DENIED: auth,
    NOT_FOUND: project,
    UNAUTHENTICATED: auth,
    THIRD_PARTY_AUTH_ERROR: auth,
    TOO_LARGE: payload,
    QUOTA_EXCEEDED: quota,
    INTERNAL: unavailable,
    BAD_GATEWAY: unavailable,
    UNAVAILABLE: unavailable,
    GATEWAY_TIMEOUT: unavailable,
    TEAPOT: other,
  },
  apns: {
    BadCollapseId: payload,
    BadDeviceToken: invalidToken,
    BadExpirationDate: payload,
    BadMessageId: payload,
    BadPriority: payload,
    BadTopic: topic,
    DeviceTokenNotForTopic: topic,
    DuplicateHeaders: payload,
    IdleTimeout: unavailable,
    InvalidPushType: payload,
    MissingDeviceToken: payload,
    MissingTopic: topic,
    PayloadEmpty: payload,
    TopicDisallowed: topic,
    'BadCertificateEnvironment 400': topic,
    BadCertificate: auth,
    BadCertificateEnvironment: topic,
    ExpiredProviderToken: authLater,
    Forbidden: auth,
    InvalidProviderToken: auth,
    MissingProviderToken: auth,
    UnrelatedKeyIdInToken: auth,
    BadEnvironmentKeyIdInToken: auth,
    BadPath: payload,
    MethodNotAllowed: payload,
    ExpiredToken: invalidToken,
    Unregistered: invalidToken,
    PayloadTooLarge: payload,
    TooManyProviderTokenUpdates: authLater,
    'TooManyProviderTokenUpdates 403': authLater,
    TooManyRequests: quota,
    InternalServerError: unavailable,
    ServiceUnavailable: unavailable,
    Shutdown: unavailable,
    418: other,
  },
  webpush: {
    200: accepted,
    201: accepted,
    202: accepted,
    302: other,
    307: other,
    400: payload,
    401: auth,
    403: auth,
    404: invalidToken,
    410: invalidToken,
    413: payload,
    418: other,
    429: quota,
    500: unavailable,
    502: unavailable,
    503: unavailable,
  },
  hms: {
    80000000: accepted,
    80100000: invalidToken,
    '80100000 of others': other,
    80100001: payload,
    80100003: payload,
    80100004: payload,
    80100013: payload,
    80100016: payload,
    80100017: quota,
    80100018: payload,
    80200001: auth,
    80200003: auth,
    80200005: auth,
    80300002: auth,
    80300007: invalidToken,
    80300008: payload,
    80300010: payload,
    80300011: auth,
    80300013: payload,
    80600003: unavailable,
    81000001: unavailable,
    80999999: other,
    400: payload,
    401: auth,
    403: auth,
    404: project,
    413: payload,
    418: other,
    429: quota,
    500: unavailable,
    502: unavailable,
    503: quota,
    504: unavailable,
  },
  wns: {
    200: accepted,
    201: accepted,
    202: accepted,
    302: other,
    400: payload,
    401: auth,
    403: auth,
    404: invalidToken,
    406: quota,
    410: invalidToken,
    413: payload,
    418: other,
    429: quota,
    500: unavailable,
    503: unavailable,
    channelthrottled: quota,
    dropped: ['rejected', 'dropped', 'device_transient'],
  },
};

const summary = (outcome: SendOutcome): Expected =>
  outcome.kind === 'accepted' ? ['accepted'] : [outcome.kind, outcome.errorClass, outcome.failureClass];

describe.runIf(whyMissing('push-clouds') === null)('what answers of the clouds mean', () => {
  let room: CloudRoom;
  let clients: Readonly<Record<Provider, PushClient>>;
  beforeAll(async () => {
    room = await CloudRoom.open();
    const [fcm, apns, webpush, hms, wns] = await Promise.all([
      room.open(CREDENTIALS.fcm),
      room.open(CREDENTIALS.apns),
      room.open(CREDENTIALS.webpush),
      room.open(CREDENTIALS.hms),
      room.open(CREDENTIALS.wns),
    ]);
    clients = { fcm, apns, webpush, hms, wns };
  });
  afterAll(async () => {
    await Promise.all(Object.values(clients).map((client) => client.close()));
  });

  it.each(Object.entries(MEANINGS) as [Provider, Record<string, Expected>][])(
    'of %s, all that are documented',
    async (provider, meanings) => {
      expect(Object.keys(room.about.answers[provider]).sort()).toEqual(Object.keys(meanings).sort());
      for (const [answer, expected] of Object.entries(meanings)) {
        await room.answer(provider, answer);
        const outcome = await clients[provider].send(
          room.request(provider, 'one'),
          new AbortController().signal,
        );
        expect([answer, ...summary(outcome)]).toEqual([answer, ...expected]);
      }
    },
  );
});
