/**
 * How far the polling for changes has come. A mark that is `open` stands in the middle of what changed, after the app
 * of that id; any other says when the store was last asked for everything.
 */
export interface Mark {
  readonly time: string;
  /** Null: nothing was left over. */
  readonly id: string | null;
}

export const writeMark = ({ time, id }: Mark): string => JSON.stringify([time, id]);

/** Throws for what `writeMark` did not write. */
export function readMark(text: string): Mark {
  const [time, id] = JSON.parse(text) as [unknown, unknown];
  if (typeof time !== 'string' || (id !== null && typeof id !== 'string')) throw new Error('not a mark');
  return { time, id };
}
