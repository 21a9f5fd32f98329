/** The action after a socket closed: stop, reconnect immediately, or reconnect after a delay. */
export type CloseRule = 'stop' | 'at-once' | 'later' | 'much-later';

/** The rule of a close code. Codes that are not the service's own mean that the network or a proxy failed. */
export function closeRule(code: number): CloseRule {
  if (code >= 4000 && code <= 4099) return 'stop';
  if (code >= 4100 && code <= 4199) return 'much-later';
  if (code >= 4200 && code <= 4299) return 'at-once';
  if (code >= 4300 && code <= 4399) return 'stop';
  // A frame was too large for the service: the same client would send it again.
  return 'later';
}
