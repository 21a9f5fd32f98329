// `npm run proof`: everything `npm test` does, and what takes too long for every change: every app where that takes one,
// all faults of the fleet over all brokers, far more mutated input, long runs. For when nobody waits.
process.env.CARILLON_PROOF = 'true';
await import('./test.js');
