/**
 * The progress of change polling. An `open` mark is inside a page of changes, after the app with that id; any other
 * is the time at which the store was last polled completely.
 */
export interface Mark {
  readonly time: string;
  /** Null: nothing was left over. */
  readonly id: string | null;
}

export const writeMark = ({ time, id }: Mark): string => JSON.stringify([time, id]);

/** Throws if the text was not written by `writeMark`. */
export function readMark(text: string): Mark {
  const [time, id] = JSON.parse(text) as [unknown, unknown];
  if (typeof time !== 'string' || (id !== null && typeof id !== 'string')) throw new Error('not a mark');
  return { time, id };
}
