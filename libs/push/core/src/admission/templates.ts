import type { JsonObject, Notification } from '@carillon/push-providers';
import { invalid } from '../fields.js';

/** Content of a template in one language. */
export interface Content {
  readonly title?: string;
  readonly body?: string;
  readonly icon?: string;
  readonly sound?: string;
  readonly collapseKey?: string;
}

const CONTENT_FIELDS = ['title', 'body', 'icon', 'sound', 'collapseKey'] as const;

/** Longest text of a field after its placeholders are filled. */
const MAX_BYTES = 4096;
const KEY = /^data(\.[A-Za-z0-9_]+){1,4}$/;

/** The content for a locale: the exact one, that of its language, or the default. */
export function contentFor(
  locales: Readonly<Record<string, Content>>,
  defaultLocale: string,
  requested: unknown,
): Content {
  const wanted = typeof requested === 'string' && requested.trim() !== '' ? requested : defaultLocale;
  const tags = wanted.replaceAll('_', '-').split('-');
  const names = [
    wanted,
    ...tags.map((_, dropped) => tags.slice(0, tags.length - dropped).join('-')),
    defaultLocale,
  ];
  const found = names.find((name) => Object.hasOwn(locales, name));
  return found === undefined ? {} : (locales[found] ?? {});
}

/** Text between placeholders, and their keys, in turn. */
function pieces(text: string, field: string): { readonly text: string; readonly key: string | null }[] {
  const found: { text: string; key: string | null }[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('{{', from);
    if (start === -1) return [...found, { text: text.slice(from), key: null }];
    const end = text.indexOf('}}', start);
    if (end === -1) throw invalid(`${field} has an unterminated placeholder`);
    const key = text.slice(start + 2, end).trim();
    if (!KEY.test(key))
      throw invalid(`${field} has a placeholder that is not data.name with up to four names`);
    found.push({ text: text.slice(from, start), key });
    from = end + 2;
  }
}

/** Checks the placeholders of a template. */
export function checkPlaceholders(content: Content): void {
  for (const field of CONTENT_FIELDS) {
    const text = content[field];
    if (text !== undefined) pieces(text, field);
  }
}

/** The notification that the content and the data make. */
export function fillContent(content: Content, data: JsonObject): Notification {
  const filled = CONTENT_FIELDS.map((field): [string, string] | null => {
    const text = content[field];
    return text === undefined ? null : [field, fill(text, field, data)];
  });
  const notification: Notification = { ...Object.fromEntries(filled.filter((one) => one !== null)), data };
  if (notification.icon !== undefined) checkIcon(notification.icon);
  return notification;
}

export function checkIcon(icon: string): void {
  if (!URL.canParse(icon) || new URL(icon).protocol !== 'https:') throw invalid('icon must be an https URL');
}

/** Inserted values are not expanded again. */
function fill(template: string, field: string, data: JsonObject): string {
  const text = pieces(template, field)
    .map((piece) => (piece.key === null ? piece.text : piece.text + valueAt(data, piece.key, field)))
    .join('');
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalid(`${field} must have at most ${MAX_BYTES} bytes`);
  return text;
}

function valueAt(data: JsonObject, key: string, field: string): string {
  let value: unknown = data;
  for (const name of key.split('.').slice(1)) {
    const isThere =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, name);
    if (!isThere) throw invalid(`${field} needs ${key}, which templateData does not have`);
    value = (value as JsonObject)[name];
  }
  if (value === null) return '';
  if (typeof value === 'object') throw invalid(`${field} needs ${key}, which is not a text, number or flag`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
