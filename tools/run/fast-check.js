// What tests get for `fast-check`: the library, whose properties all begin with the seed of the run.
import { configureGlobal } from 'fast-check';
import { SEED } from './seed.js';

configureGlobal({ seed: Number(process.env[SEED]) });

export * from 'fast-check';
export { default } from 'fast-check';
