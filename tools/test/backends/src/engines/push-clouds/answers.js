// Every answer that the documentation of a provider lists, by the name it has there.

/** @import { Answer } from './answer.js' */

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** @param {number} status @param {string} general @param {string | null} particular @param {string} message @param {unknown[]} more @returns {Answer} */
const fcm = (status, general, particular, message = general, more = []) => ({
  status,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: {
    error: {
      code: status,
      message,
      status: general,
      details: [...(particular === null ? [] : [{ '@type': FCM_ERROR, errorCode: particular }]), ...more],
    },
  },
});

/** @param {string} field */
const violation = (field) => [
  { '@type': BAD_REQUEST, fieldViolations: [{ field, description: 'is not valid' }] },
];

/** @param {number} status @param {readonly string[]} reasons @returns {Array<[string, Answer]>} */
const apns = (status, reasons) =>
  reasons.map((reason) => [
    reason,
    { status, body: { reason, ...(status === 410 && { timestamp: 1_700_000_000_000 }) } },
  ]);

/** @param {readonly number[]} statuses @returns {Array<[string, Answer]>} */
const bare = (statuses) => statuses.map((status) => [String(status), { status }]);

/** @param {number} status @param {readonly string[]} codes @returns {Array<[string, Answer]>} */
const hms = (status, codes) =>
  codes.map((code) => [code, { status, body: { code, msg: 'text', requestId: 'a-request' } }]);

/** @type {Record<string, Record<string, Answer>>} */
export const ANSWERS = {
  fcm: {
    UNREGISTERED: fcm(404, 'NOT_FOUND', 'UNREGISTERED', 'Requested entity was not found.'),
    INVALID_ARGUMENT: fcm(
      400,
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'Invalid value',
      violation('message.android.ttl'),
    ),
    INVALID_TOKEN: fcm(
      400,
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'Invalid value',
      violation('message.token'),
    ),
    INVALID_TOKEN_TEXT: fcm(
      400,
      'INVALID_ARGUMENT',
      'INVALID_ARGUMENT',
      'The registration token is not a valid FCM registration token',
    ),
    OLD_NAME: { status: 400, body: { error: { code: 'registration-token-not-registered' } } },
    SENDER_ID_MISMATCH: fcm(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
    PERMISSION_DENIED: fcm(403, 'PERMISSION_DENIED', null),
    NOT_FOUND: fcm(404, 'NOT_FOUND', null),
    UNAUTHENTICATED: fcm(401, 'UNAUTHENTICATED', null),
    THIRD_PARTY_AUTH_ERROR: fcm(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'),
    TOO_LARGE: { status: 413 },
    QUOTA_EXCEEDED: fcm(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'),
    INTERNAL: fcm(500, 'INTERNAL', 'INTERNAL'),
    BAD_GATEWAY: { status: 502, body: '<html>not JSON</html>' },
    UNAVAILABLE: fcm(503, 'UNAVAILABLE', 'UNAVAILABLE'),
    GATEWAY_TIMEOUT: { status: 504 },
    TEAPOT: { status: 418 },
  },
  apns: Object.fromEntries([
    ...apns(400, [
      'BadCollapseId',
      'BadDeviceToken',
      'BadExpirationDate',
      'BadMessageId',
      'BadPriority',
      'BadTopic',
    ]),
    ...apns(400, ['DeviceTokenNotForTopic', 'DuplicateHeaders', 'IdleTimeout', 'InvalidPushType']),
    ...apns(400, ['MissingDeviceToken', 'MissingTopic', 'PayloadEmpty', 'TopicDisallowed']),
    ['BadCertificateEnvironment 400', { status: 400, body: { reason: 'BadCertificateEnvironment' } }],
    ['TooManyProviderTokenUpdates 403', { status: 403, body: { reason: 'TooManyProviderTokenUpdates' } }],
    ...apns(403, ['BadCertificate', 'BadCertificateEnvironment', 'ExpiredProviderToken', 'Forbidden']),
    ...apns(403, ['InvalidProviderToken', 'MissingProviderToken', 'UnrelatedKeyIdInToken']),
    ...apns(403, ['BadEnvironmentKeyIdInToken']),
    ...apns(404, ['BadPath']),
    ...apns(405, ['MethodNotAllowed']),
    ...apns(410, ['ExpiredToken', 'Unregistered']),
    ...apns(413, ['PayloadTooLarge']),
    ...apns(429, ['TooManyProviderTokenUpdates', 'TooManyRequests']),
    ...apns(500, ['InternalServerError']),
    ...apns(503, ['ServiceUnavailable', 'Shutdown']),
    ...bare([418]),
  ]),
  webpush: Object.fromEntries([
    ...bare([200, 201, 202, 302, 400, 401, 403, 404, 410, 413, 418, 429, 500, 502, 503]),
    ['307', { status: 307, headers: { location: 'https://127.0.0.1/elsewhere' } }],
  ]),
  hms: Object.fromEntries([
    ...hms(200, [
      '80000000',
      '80100001',
      '80100003',
      '80100004',
      '80100013',
      '80100016',
      '80100017',
      '80100018',
    ]),
    ...hms(200, [
      '80200001',
      '80200003',
      '80200005',
      '80300002',
      '80300007',
      '80300008',
      '80300010',
      '80300011',
    ]),
    ...hms(200, ['80300013', '80600003', '81000001', '80999999']),
    [
      '80100000',
      { status: 200, body: { code: '80100000', msg: '{"success":0,"failure":1,"illegal_tokens":["one"]}' } },
    ],
    ['80100000 of others', { status: 200, body: { code: '80100000', msg: '{"illegal_tokens":["other"]}' } }],
    ...bare([400, 401, 403, 404, 413, 418, 429, 500, 502, 503, 504]),
  ]),
  wns: Object.fromEntries([
    ...bare([200, 201, 202, 302, 400, 401, 403, 404, 406, 410, 413, 418, 429, 500, 503]),
    ['channelthrottled', { status: 200, headers: { 'x-wns-notificationstatus': 'channelthrottled' } }],
    ['dropped', { status: 200, headers: { 'x-wns-notificationstatus': 'dropped' } }],
  ]),
};
