/** Label value of series beyond the limit, and of disallowed values. */
export const FOLDED = 'other';
