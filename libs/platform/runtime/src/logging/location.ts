/** Frames of this room's logging between the caller and `new Error()`. */
const OWN_FRAMES = /[\\/]logging[\\/](location|logger|logging|nest-log-bridge)\.[jt]s/;

/** `file:line` of whoever called the logger; undefined when the stack does not say. Costly: for debug only. */
export function callerLocation(): string | undefined {
  const frames = new Error('location').stack?.split('\n').slice(1) ?? [];
  const caller = frames.find((frame) => !OWN_FRAMES.test(frame));
  return caller?.match(/([^\\/(\s]+:\d+):\d+\)?$/)?.[1];
}
