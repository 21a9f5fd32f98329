import { createHash } from 'node:crypto';

/** Escape character, followed by four hex digits, for characters that SQS rejects. */
const MARK = '\u241B';
/** Control characters and non-characters invalid in XML, and the escape character itself. */
const UNTAKEN = /(?![\t\n])[\p{Cc}\uFFFE\uFFFF\u241B]/gu;
const ESCAPED = /\u241B([0-9a-f]{4})/g;

/** A text as SQS takes it, which is little else than it was. */
export const messageBody = (text: string): string =>
  text.replaceAll(UNTAKEN, (one) => MARK + one.charCodeAt(0).toString(16).padStart(4, '0'));

export const textOfBody = (body: string): string =>
  body.replaceAll(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

const PLAIN = /^[A-Za-z0-9_-]{1,128}$/;

/** An id or a key of ours as SQS takes those. */
export const plainName = (name: string): string =>
  PLAIN.test(name) ? name : createHash('sha256').update(name, 'utf8').digest('hex');
