import { isStorable } from '@carillon/contracts';

/** The frame of a publish, or why it is none. */
export type ReadFrame =
  | { readonly ok: true; readonly eventName: string }
  | { readonly ok: false; readonly problem: string };

/** Checks a V2 frame as it is stored: an object with an event, and without what only the writer may say. */
export function readFrame(text: string): ReadFrame {
  const frame = parse(text);
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    return { ok: false, problem: 'message: must be a JSON object' };
  if (Object.hasOwn(frame, 'stream_id') || Object.hasOwn(frame, 'serial'))
    return { ok: false, problem: 'message: must not hold a position' };
  const event = 'event' in frame ? frame.event : undefined;
  if (typeof event !== 'string' || event === '')
    return { ok: false, problem: 'message: must name its event' };
  // An escape in the JSON text can stand for a character that no database takes.
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
