/** One publication of a series failed, and ended it. */
export class SeriesFailure extends Error {
  override readonly name = 'SeriesFailure';

  constructor(
    /** Index in the series. */
    readonly index: number,
    /** Error with which `publish` would have rejected. */
    override readonly cause: unknown,
  ) {
    super(`publication ${index} of a series failed`);
  }
}
