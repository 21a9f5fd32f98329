import { messageSerialOf } from '@carillon/protocol';
import type { Message } from '@carillon/protocol';
import { Frames } from '../codec.js';
import { innerOf } from './full-text-expander.js';

/**
 * Replaces the appends of a replay by whole texts: each version carries the text of its message at that version. A
 * text is read once, as of the first append of the replay. Appends to messages that no longer exist are omitted.
 * Rejects if a text cannot be read.
 */
export async function pastWholes(
  past: readonly Frames[],
  textBefore: (messageSerial: string, serial: number) => Promise<string | null>,
): Promise<readonly Frames[]> {
  const texts = new Map<string, string | null>();
  const shown: Frames[] = [];
  for (const frames of past) {
    const fact = frames.fact as Message;
    const messageSerial = fact.action === 'plain' ? null : messageSerialOf(fact.extrasText);
    if (messageSerial === null || fact.action !== 'append') {
      if (messageSerial !== null) texts.set(messageSerial, innerOf(fact.dataText));
      shown.push(frames);
      continue;
    }
    const known = texts.get(messageSerial);
    const before = known === undefined ? await textBefore(messageSerial, fact.serial ?? 0) : known;
    const inner = before === null ? null : before + (innerOf(fact.dataText) ?? '');
    texts.set(messageSerial, inner);
    if (inner !== null) shown.push(new Frames({ ...fact, dataText: `"${inner}"` }, frames.atMs));
  }
  return shown;
}
