import { isObject, type JsonObject } from '../json.js';

/** Body for APNs and Web Push: an override without the known members is the body itself, without its headers. */
export function apnsBody(payload: JsonObject): JsonObject {
  return 'aps' in payload ? only(payload, ['aps', 'data']) : without(payload, 'headers');
}

export function webPushBody(payload: JsonObject): JsonObject {
  return 'notification' in payload || 'data' in payload
    ? only(payload, ['notification', 'data'])
    : without(payload, 'headers');
}

/** The headers part of a payload. */
export const headersOf = ({ headers }: JsonObject): JsonObject => (isObject(headers) ? headers : {});

/** Body for WNS: XML for visible notifications, data for raw ones. */
export function wnsBody(payload: JsonObject): string {
  const { type, xml, toast, data } = payload;
  if (typeof xml === 'string') return xml;
  return type === 'raw' ? JSON.stringify(data ?? {}) : toastXml(toast, data);
}

function toastXml(toast: unknown, data: unknown): string {
  const binding = at(at(toast, 'visual'), 'binding');
  const lines = at(binding, 'text');
  const [image, sound] = [at(binding, 'image'), at(at(toast, 'audio'), 'src')];
  const launch = data === undefined ? '' : ` launch="${escaped(JSON.stringify(data))}"`;
  const text = (Array.isArray(lines) ? lines : [])
    .filter((line): line is string => typeof line === 'string')
    .map((line) => `<text>${escaped(line)}</text>`)
    .join('');
  const picture =
    typeof image === 'string' ? `<image placement="appLogoOverride" src="${escaped(image)}"/>` : '';
  const audio = typeof sound === 'string' ? `<audio src="${escaped(sound)}"/>` : '';
  return `<toast${launch}><visual><binding template="ToastGeneric">${text}${picture}</binding></visual>${audio}</toast>`;
}

const at = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Characters that XML cannot hold in any form are left out. */
const escaped = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const only = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));

const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
