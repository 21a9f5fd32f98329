import { isStorable } from '@carillon/contracts';

/** Event name of a frame, or the reason why it is invalid. */
export type ReadFrame =
  | { readonly ok: true; readonly eventName: string }
  | { readonly ok: false; readonly problem: string };

/** Checks a V2 frame for storage: an object with an event and without members reserved to the writer. */
export function readFrame(text: string): ReadFrame {
  const frame = parse(text);
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    return { ok: false, problem: 'message: must be a JSON object' };
  if (Object.hasOwn(frame, 'stream_id') || Object.hasOwn(frame, 'serial'))
    return { ok: false, problem: 'message: must not hold a position' };
  const event = 'event' in frame ? frame.event : undefined;
  if (typeof event !== 'string' || event === '')
    return { ok: false, problem: 'message: must name its event' };
  // A JSON escape may stand for a character that the databases cannot store.
  if (!isStorable(event))
    return { ok: false, problem: 'message: the event holds a character that cannot be stored' };
  return { ok: true, eventName: event };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
