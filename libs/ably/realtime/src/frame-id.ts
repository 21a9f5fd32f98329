let named = 0;

/**
 * Returns a frame id, unique per connection, for frames whose items have no ids. Old clients treat two frames of a
 * channel without ids as duplicates.
 */
export function frameId(): string {
  named += 1;
  return `f${named}`;
}
