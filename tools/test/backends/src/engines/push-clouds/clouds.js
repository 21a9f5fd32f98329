// What each cloud does with a request, unless the test scripted an answer.
import { ANSWERS } from './answers.js';
import { decrypted, isVouchedFor, verifiedClaims } from './web-push.js';

/** @import { Answer } from './answer.js' */
/** @import { Room } from './rooms.js' */

/**
 * @typedef {object} Arrival
 * @property {string} path behind the name of the cloud
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {Buffer} body
 * @property {boolean} certified the client showed a certificate
 * @property {string} origin of the clouds
 * @property {string} version
 */

/** @typedef {(room: Room, arrival: Arrival) => Answer} Cloud */

/** @param {string} cloud @param {string} name @returns {Answer} */
const documented = (cloud, name) => ANSWERS[cloud]?.[name] ?? { status: 500 };

let count = 0;

/** Keeps what arrived and answers: what the script says, else what is wrong, else that it is well. @param {Room} room @param {string} cloud @param {string} token @param {Arrival} arrival @param {unknown} body @param {() => Answer} answer */
function handled(room, cloud, token, { headers, version }, body, answer) {
  const given = room.scripted(cloud, token) ?? answer();
  const status = given.act === 'hang' || given.act === 'drop' ? 0 : (given.status ?? 200);
  room.keep({ cloud, token, headers, body, version, status });
  return given;
}

/** A service of access tokens. @param {string} cloud @param {Room} room @param {Arrival} arrival @param {(form: URLSearchParams) => boolean} isKnown @returns {Answer} */
function granting(cloud, room, arrival, isKnown) {
  const form = new URLSearchParams(arrival.body.toString());
  return handled(room, `${cloud}-token`, '', arrival, null, () =>
    isKnown(form)
      ? { body: { access_token: room.grant(cloud), token_type: 'Bearer', expires_in: 3600 } }
      : { status: 400, body: { error: 'invalid_grant' } },
  );
}

/** @param {Room} room @param {URLSearchParams} form */
function isServiceAccount(room, form) {
  const claims = verifiedClaims(form.get('assertion') ?? '', room.trusted.get('fcm') ?? '');
  return (
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    claims?.scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
    claims.aud === 'https://oauth2.googleapis.com/token' &&
    typeof claims.iss === 'string'
  );
}

/** @param {URLSearchParams} form */
const isClient = (form) =>
  form.get('grant_type') === 'client_credentials' &&
  Boolean(form.get('client_id')) &&
  form.get('client_secret') === 'a-client-secret';

/** @type {Record<string, Cloud>} */
export const CLOUDS = {
  fcm(room, arrival) {
    if (arrival.path === 'token') {
      return granting('fcm', room, arrival, (form) => isServiceAccount(room, form));
    }
    const body = JSON.parse(arrival.body.toString());
    const { token, topic, condition } = body.message;
    return handled(room, 'fcm', token ?? topic ?? condition, arrival, body, () =>
      room.admits('fcm', arrival.headers.authorization)
        ? { body: { name: `projects/a-project/messages/${++count}` } }
        : documented('fcm', 'UNAUTHENTICATED'),
    );
  },

  apns(room, arrival) {
    const token = decodeURIComponent(arrival.path.replace('3/device/', ''));
    const body = JSON.parse(arrival.body.toString());
    const { authorization = '', 'apns-topic': topic, 'apns-id': id } = arrival.headers;
    return handled(room, 'apns', token, arrival, body, () => {
      const key = room.trusted.get('apns');
      const signed = authorization.replace(/^bearer /, '');
      const known = arrival.certified || (key !== undefined && verifiedClaims(signed, key) !== null);
      if (!known) return documented('apns', 'InvalidProviderToken');
      if (topic === undefined) return documented('apns', 'MissingTopic');
      return { headers: { 'apns-id': String(id) } };
    });
  },

  webpush(room, arrival) {
    const subscription = room.subscriptions.get(arrival.path) ?? room.subscriptions.get('*');
    if (subscription === undefined)
      return handled(room, 'webpush', arrival.path, arrival, null, () => ({ status: 410 }));
    const { authorization = '', 'content-encoding': encoding, ttl } = arrival.headers;
    let text = '';
    let readable = encoding === 'aes128gcm' && ttl !== undefined;
    try {
      text = decrypted(arrival.body, subscription);
    } catch {
      readable = false;
    }
    return handled(room, 'webpush', arrival.path, arrival, text, () => {
      if (!isVouchedFor(authorization, subscription, arrival.origin)) return { status: 403 };
      if (!readable) return { status: 400 };
      return { status: 201, headers: { location: `${arrival.origin}/message/${++count}` } };
    });
  },

  hms(room, arrival) {
    if (arrival.path === 'oauth2/v3/token') return granting('hms', room, arrival, isClient);
    const body = JSON.parse(arrival.body.toString());
    const { token = [], topic, condition } = body.message;
    return handled(room, 'hms', token[0] ?? topic ?? condition, arrival, body, () =>
      room.admits('hms', arrival.headers.authorization)
        ? { body: { code: '80000000', msg: 'Success', requestId: `request-${++count}` } }
        : documented('hms', '80200003'),
    );
  },

  wns(room, arrival) {
    if (arrival.path === 'token') return granting('wns', room, arrival, isClient);
    return handled(room, 'wns', arrival.path, arrival, arrival.body.toString(), () =>
      room.admits('wns', arrival.headers.authorization)
        ? { headers: { 'x-wns-notificationstatus': 'received', 'x-wns-msg-id': `message-${++count}` } }
        : documented('wns', '401'),
    );
  },
};
