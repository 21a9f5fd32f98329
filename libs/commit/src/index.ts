export { evaluate, type Evaluation } from './evaluate/evaluate.js';
export { readArrival, type Arrival, type Chain, type ReadArrival } from './evaluate/arrival.js';
export { wantedOf } from './evaluate/wanted.js';
