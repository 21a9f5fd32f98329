import { messageSerialOf } from '@carillon/protocol';
import type { Message } from '@carillon/protocol';
import { Frames } from '../codec.js';
import type { Text } from './wholes.js';

/**
 * Messages of the past for somebody who wants the whole text with each append: of every message that was appended to, the
 * text that is stored by now, which may be further on than the append. What is not there any more is left out. Rejects when
 * a text cannot be read.
 */
export async function pastWholes(
  past: readonly Frames[],
  textOf: (messageSerial: string) => Promise<Text | null>,
): Promise<readonly Frames[]> {
  const texts = new Map<string, Text | null>();
  const shown: Frames[] = [];
  for (const frames of past) {
    const fact = frames.fact as Message;
    const messageSerial = fact.action === 'append' ? messageSerialOf(fact.extrasText) : null;
    if (messageSerial === null) {
      shown.push(frames);
      continue;
    }
    if (!texts.has(messageSerial)) texts.set(messageSerial, await textOf(messageSerial));
    const text = texts.get(messageSerial) ?? null;
    if (text !== null) shown.push(new Frames({ ...fact, dataText: `"${text.inner}"` }, frames.atMs));
  }
  return shown;
}
