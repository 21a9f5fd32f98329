// The intended start time travels inside the event's data as fixed-width digits without anything JSON would escape, so a
// subscriber finds it by searching the bytes of the frame, whatever the server wrapped around it.
const MARK = Buffer.from('~at=');
const DIGITS = 16;

/** Event data of at least this many bytes that carries the time. @param {number} dueUs @param {number} bytes */
export const markedData = (dueUs, bytes) =>
  `~at=${String(dueUs).padStart(DIGITS, '0')}~`.padEnd(bytes, 'carillon');

/** The time a frame carries; null when it carries none. @param {Buffer} payload */
export function markedTime(payload) {
  const at = payload.indexOf(MARK);
  if (at < 0) return null;
  const time = Number(payload.toString('latin1', at + MARK.length, at + MARK.length + DIGITS));
  return Number.isFinite(time) ? time : null;
}
