/** A problem the person running the bench can act on: printed as one line, without a stack. */
export class BenchError extends Error {
  /** @override */
  name = 'BenchError';
}
