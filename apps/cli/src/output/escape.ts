/** C0, DEL and C1. */
const CONTROL = /\p{Cc}/gu;
const BEYOND_JSON = /[\u007f-\u009f]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text for a terminal: names and payloads come from clients and must not control it. */
export const escapeText = (text: string): string => text.replace(CONTROL, escaped);

/** JSON on one line, with DEL and C1 characters escaped too. */
export const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? 'null').replace(BEYOND_JSON, escaped);
