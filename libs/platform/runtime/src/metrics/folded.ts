/** What a label set beyond the bound, and a value that is not allowed, is counted under. */
export const FOLDED = 'other';
