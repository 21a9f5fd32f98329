import { type JsonObject, present } from '../json.js';
import type { Provider } from '../provider.js';
import { apnsCollapseId, webPushTopic, wnsTag } from './collapse.js';
import { dataOrNothing, InvalidPayload, isDataOnly, type Notification } from './notification.js';

const WEB_PUSH_TTL_SECONDS = 2_419_200;

/** Payload of a notification in each provider's form. */
export const GENERIC: Readonly<Record<Provider, (notification: Notification) => JsonObject>> = {
  fcm,
  apns,
  webpush,
  hms,
  wns,
  realtime,
};

function fcm(notification: Notification): JsonObject {
  const { sound, collapseKey } = notification;
  const data = stringData(notification.data);
  return {
    message: present({
      notification: shown(notification),
      data: Object.keys(data).length === 0 ? undefined : data,
      android: orNothing({
        collapse_key: collapseKey,
        notification: isDataOnly(notification) ? undefined : orNothing({ sound }),
      }),
    }),
  };
}

/** FCM carries strings only. */
function stringData(data: JsonObject): Record<string, string> {
  const strings: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (name === 'from' || name === 'message_type' || name.startsWith('google') || name.startsWith('gcm')) {
      throw new InvalidPayload('fcm', `data key ${name} is reserved by fcm`);
    }
    if (value === null || value === undefined) continue;
    strings[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return strings;
}

function apns(notification: Notification): JsonObject {
  const { title, body, sound, collapseKey } = notification;
  const silent = isDataOnly(notification);
  return present({
    headers: present({
      'apns-push-type': silent ? 'background' : 'alert',
      'apns-priority': silent ? '5' : '10',
      'apns-collapse-id': collapseKey === undefined ? undefined : apnsCollapseId(collapseKey),
    }),
    aps: silent ? { 'content-available': 1 } : present({ alert: present({ title, body }), sound }),
    data: dataOrNothing(notification),
  });
}

function webpush(notification: Notification): JsonObject {
  const { collapseKey } = notification;
  return present({
    headers: present({
      ttl: WEB_PUSH_TTL_SECONDS,
      urgency: 'normal',
      topic: collapseKey === undefined ? undefined : webPushTopic(collapseKey),
    }),
    notification: shown(notification),
    data: dataOrNothing(notification),
  });
}

function hms(notification: Notification): JsonObject {
  const { sound, collapseKey } = notification;
  const data = dataOrNothing(notification);
  return {
    message: present({
      notification: shown(notification),
      data: data === undefined ? undefined : JSON.stringify(data),
      android: isDataOnly(notification)
        ? undefined
        : { notification: present({ click_action: { type: 3 }, sound, tag: collapseKey }) },
    }),
  };
}

function wns(notification: Notification): JsonObject {
  const { title, body, icon, sound, collapseKey } = notification;
  const tag = collapseKey === undefined ? undefined : wnsTag(collapseKey);
  if (isDataOnly(notification)) return present({ type: 'raw', tag, data: notification.data });
  const text = [title, body].filter((line) => line !== undefined);
  return present({
    type: 'toast',
    tag,
    toast: present({
      visual: { binding: present({ template: 'ToastGeneric', text, image: icon }) },
      audio: sound === undefined ? undefined : { src: sound },
    }),
    data: dataOrNothing(notification),
  });
}

/** Form of the library of Ably clients. */
function realtime(notification: Notification): JsonObject {
  const { title, body, icon, sound, collapseKey } = notification;
  return present({
    notification: orNothing({ title, body, icon, sound, collapseKey }),
    data: dataOrNothing(notification),
  });
}

function shown(notification: Notification): JsonObject | undefined {
  if (isDataOnly(notification)) return undefined;
  const { title, body, icon } = notification;
  return present({ title, body, image: icon });
}

function orNothing(members: JsonObject): JsonObject | undefined {
  const some = present(members);
  return Object.keys(some).length === 0 ? undefined : some;
}
