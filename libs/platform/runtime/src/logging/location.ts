/** Frames of this room's logging between the caller and `new Error()`. */
const OWN_FRAMES = /[\\/]logging[\\/](location|logger|logging|nest-log-bridge)\.[jt]s/;

/** `file:line` of the caller of the logger; undefined if not in the stack. Costly: for debug only. */
export function callerLocation(): string | undefined {
  const frames = new Error('location').stack?.split('\n').slice(1) ?? [];
  const caller = frames.find((frame) => !OWN_FRAMES.test(frame));
  return caller?.match(/([^\\/(\s]+:\d+):\d+\)?$/)?.[1];
}
