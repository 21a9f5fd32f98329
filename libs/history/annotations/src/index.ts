export {
  annotationFrame,
  annotationText,
  storedSummaryFrame,
  summaryFrame,
  type SummaryFrame,
  type SummaryOf,
} from './frames.js';
export { RunningSummary, type SummaryKey, type SummaryLimits } from './running-summary.js';
export { Tally } from './tally.js';
export { methodOf, missingOf, type Method } from './type.js';
