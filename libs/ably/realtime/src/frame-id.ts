let named = 0;

/**
 * The id of a frame, for what in it has none: no two of one connection have the same. Old clients take two frames of a
 * channel for one that came twice if neither has an id.
 */
export function frameId(): string {
  named += 1;
  return `f${named}`;
}
