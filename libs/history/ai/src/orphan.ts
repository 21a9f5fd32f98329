import { omitMembers, rawMember } from '@carillon/protocol';

/** Attribution of a version by which the service ended an idle stream. */
export const ORPHANED = {
  description: 'AI stream orphan timeout',
  metadata: '{"system":"ai_transport_orphan_janitor","reason":"orphan_timeout"}',
} as const;

const CHANGED: ReadonlySet<string> = new Set(['status', 'error-code', 'error-message']);
const CANCELLED =
  '"status":"cancelled","error-code":"orphan_timeout","error-message":"stream cancelled after orphan timeout"';

/** Returns the extras of an ended idle stream; other members are kept as written. */
export function orphanedExtras(extrasText: string | null): string {
  const ai = objectIn(extrasText, 'ai');
  const transport = objectIn(ai, 'transport');
  const cancelled = joined(transport === null ? null : omitMembers(transport, CHANGED), CANCELLED);
  const inAi = joined(without(ai, 'transport'), `"transport":${cancelled}`);
  return joined(without(extrasText, 'ai'), `"ai":${inAi}`);
}

const objectIn = (text: string | null, name: string): string | null => {
  const member = text === null ? null : rawMember(text, name);
  return member?.startsWith('{') === true ? member : null;
};

const without = (text: string | null, name: string): string | null =>
  text === null ? null : omitMembers(text, new Set([name]));

const joined = (objectText: string | null, members: string): string =>
  objectText === null ? `{${members}}` : `${objectText.slice(0, -1)},${members}}`;
