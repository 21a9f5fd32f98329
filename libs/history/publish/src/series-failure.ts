/** One publication of a series failed, and ended it. */
export class SeriesFailure extends Error {
  override readonly name = 'SeriesFailure';

  constructor(
    /** Its place in the series. */
    readonly index: number,
    /** What `publish` would have rejected with. */
    override readonly cause: unknown,
  ) {
    super(`publication ${index} of a series failed`);
  }
}
