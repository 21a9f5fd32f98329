/** Exit codes of the command. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 64,
  unreachable: 69,
  refused: 77,
  configuration: 78,
  interrupted: 130,
  terminated: 143,
} as const;

/** Meanings as help and the reference page show them. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'failed: a refusal, a failed check, a broken dependency, lost messages'],
  [EXIT.usage, 'wrong usage: unknown command or flag, missing or malformed argument or input'],
  [EXIT.unreachable, 'unreachable: connection refused, DNS, TLS, no answer within --timeout'],
  [EXIT.refused, 'refused: credentials or rights are missing'],
  [EXIT.configuration, 'the configuration or the profiles file is invalid'],
  [EXIT.interrupted, 'interrupted by Ctrl-C (143: by SIGTERM)'],
];
