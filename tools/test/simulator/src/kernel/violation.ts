/** An invariant that did not hold. */
export interface Violation {
  readonly invariant: string;
  /** Promise of `docs/guarantees.md`, as in `G2`. */
  readonly promise: string;
  readonly expected: string;
  readonly actual: string;
}

/** Invariant of an exception or a rejection that a core did not handle. */
export const UNHANDLED = 'unhandled';
