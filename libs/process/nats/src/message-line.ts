/** What stands in the line before a message. */
export interface MessageLine {
  readonly subject: string;
  readonly sid: number;
  /** Where an answer is expected; null: nowhere. */
  readonly reply: string | null;
  /** Of those that follow; null: it has no headers. */
  readonly headBytes: number | null;
  readonly totalBytes: number;
}

/** Servers are configured to 64 MB at most. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_DIGITS = 9;
const ZERO = '0'.charCodeAt(0);

/**
 * `subject sid [reply] [bytes of headers] bytes in all`, from so far into the line on. Takes it apart where it stands,
 * without a list of its words: there is a line for every message. Throws when it is malformed.
 */
export function messageLine(line: string, from: number, hasHead: boolean): MessageLine {
  const afterSubject = line.indexOf(' ', from);
  const beforeTotal = line.lastIndexOf(' ');
  const beforeHead = hasHead ? line.lastIndexOf(' ', beforeTotal - 1) : beforeTotal;
  const afterSid = line.indexOf(' ', afterSubject + 1);
  if (afterSubject <= from || afterSid === -1 || afterSid > beforeHead) throw malformed();
  // JetStream leaves the place of the answer empty, between two spaces, where it only says something.
  const reply = afterSid === beforeHead ? null : line.slice(afterSid + 1, beforeHead) || null;
  if (reply?.includes(' ') === true) throw malformed();
  const headBytes = hasHead ? amount(line, beforeHead + 1, beforeTotal) : null;
  const totalBytes = amount(line, beforeTotal + 1, line.length);
  if (headBytes !== null && headBytes > totalBytes) throw malformed();
  const sid = amount(line, afterSubject + 1, afterSid);
  return { subject: line.slice(from, afterSubject), sid, reply, headBytes, totalBytes };
}

function amount(line: string, from: number, to: number): number {
  if (to <= from || to - from > MAX_DIGITS) throw malformed();
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = line.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) throw malformed();
    value = value * 10 + digit;
  }
  if (value > MAX_BODY_BYTES) throw malformed();
  return value;
}

const malformed = (): Error => new Error('the server sent a malformed message');
