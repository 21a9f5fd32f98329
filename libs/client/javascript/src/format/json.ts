import type { Frame, ReceivedFrame, WireFormat } from './frame.js';
import { fromWire, toWire, type WireFrame } from './wire-frame.js';

/** The two members at the end of a frame that can be a delta base. */
const DELTA_MEMBERS = /,"__delta_seq":(\d+)(?:,"__conflation_key":"([^"\\]*)")?\}$/;
/** Longer than the two members can be: only the end of a long frame is looked at. */
const TAIL = 600;

/** Parses the frame of a JSON text; returns null if it is not one. Never throws. */
export function frameOfText(text: string): ReceivedFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== 'object' || frame === null) return null;
  const { event } = frame as Partial<Frame>;
  return typeof event === 'string' && event !== '' ? fromWire(frame as WireFrame) : null;
}

/** The JSON format, the only one that supports deltas. */
export const json: WireFormat = {
  name: 'json',
  // Bytes are shown as a list of them, as the service shows them.
  encode: (frame) =>
    JSON.stringify(toWire(frame), (_, value: unknown) => (value instanceof Uint8Array ? [...value] : value)),
  decode: (data) => {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    const frame = frameOfText(text);
    const found = frame === null ? null : DELTA_MEMBERS.exec(text.slice(-TAIL));
    if (frame === null || found === null) return frame;
    const [members, sequence, group = ''] = found;
    const baseText = `${text.slice(0, -members.length)}}`;
    const whole = frameOfText(baseText);
    return whole === null ? frame : { ...whole, baseText, sequence: Number(sequence), group };
  },
};
