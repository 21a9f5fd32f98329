import { messageSerialOf } from '@carillon/protocol';
import type { Message } from '@carillon/protocol';
import { Frames } from '../codec.js';
import { innerOf } from './wholes.js';

/**
 * Turns the appends of a replay into whole texts: each version shows the text that its message had with it. A text is read
 * once, as it was before the first append of the replay. Appends to messages that do not exist any more are left out.
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
