export {
  annotationFrame,
  annotationText,
  summaryFrame,
  type SummaryFrame,
  type SummaryOf,
} from './frames.js';
export { type Contribution, Tally } from './tally.js';
export { methodOf, missingOf, type Method } from './type.js';
