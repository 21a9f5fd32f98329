/** A value that may be there already. What is there is never waited for, so that the live path stays synchronous. */
export type Ready<Value> = Value | Promise<Value>;

/** Goes on with the value, at once when it is there. */
export function whenReady<Value, Next>(
  value: Ready<Value>,
  goOn: (value: Value) => Ready<Next>,
): Ready<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
