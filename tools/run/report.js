// The report that vitest's reporter writes and `test.js` reads. Loaded before anything is installed, so without imports.
/** The variable with the path of the report. */
export const REPORT = 'CARILLON_TEST_REPORT';

/** The variable with the path of the file that every test file appends its cost to (`file-cost.js`). */
export const COSTS = 'CARILLON_TEST_COSTS';

export const secondsText = (ms) => `${(ms / 1000).toFixed(1)} s`;
