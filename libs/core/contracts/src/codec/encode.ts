import type { MessageDefinition } from './message.js';
import { withinBytes } from './size.js';

/** Text to send, or the reason of a failure. `detail` is for logs and contains no message data. */
export type Encoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'malformed' | 'too-large'; readonly detail: string };

/**
 * Encodes a message as JSON, `v` and `kind` first. Never throws. A message that violates its definition or the size
 * limit is refused here, so that no peer has to drop it.
 */
export function encode<Body>(
  definition: MessageDefinition<string, Body>,
  body: Body,
  maxBytes: number,
): Encoded {
  const problem = definition.body(body);
  if (problem !== null) return { ok: false, reason: 'malformed', detail: problem };
  const members = stringify(body);
  if (members === null) return { ok: false, reason: 'malformed', detail: 'cannot be written as JSON' };
  const head = `{"v":${definition.version},"kind":"${definition.kind}"`;
  const text = members === '{}' ? `${head}}` : `${head},${members.slice(1)}`;
  if (withinBytes(text, maxBytes)) return { ok: true, text };
  return { ok: false, reason: 'too-large', detail: `over ${maxBytes} bytes` };
}

function stringify(body: unknown): string | null {
  try {
    return JSON.stringify(body);
  } catch {
    return null;
  }
}
