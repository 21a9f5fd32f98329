import { expect, it } from 'vitest';
import { postgres } from '../src/dialects/postgres.js';

/** An error of the server. */
const said = (code: string) =>
  postgres.classify({ code, severity: 'FATAL', message: 'terminating connection' });

it.each([
  ['57P01', 'refused'],
  ['57014', 'timeout'],
  ['53100', 'refused'],
  // A server that was suspended finds that a transaction was idle for too long.
  ['25P03', 'timeout'],
  ['25P04', 'timeout'],
])('%s of PostgreSQL is no fault of the statement: it may be tried again', (code, reason) => {
  expect(said(code)).toMatchObject({ name: 'DatabaseUnavailable', reason });
});

it.each([
  ['23505', 'unique'],
  ['22021', 'data'],
  ['40001', 'conflict'],
  ['25P02', 'statement'],
])('%s of PostgreSQL is about the statement', (code, reason) => {
  expect(said(code)).toMatchObject({ name: 'DatabaseRejected', reason });
});
