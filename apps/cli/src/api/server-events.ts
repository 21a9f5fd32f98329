import { failure } from '../program/errors.js';

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

const MAX_EVENT_CHARACTERS = 1024 * 1024;

/** The events of a `text/event-stream` body. Comments and ids are skipped. */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_EVENT_CHARACTERS) throw failure('an event of the stream is larger than 1 MiB');
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const found = eventOf(block);
      if (found !== null) yield found;
    }
  }
}

/** Null: the block has no data. */
function eventOf(block: string): ServerEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}
