import { errors, types } from 'cassandra-driver';
import { describe, expect, it } from 'vitest';
import { explainFailure } from '../src/failures.js';
import { ScyllaRejected, ScyllaUnavailable } from '../src/index.js';
import { settingsOf } from './settings-of.js';

const { responseErrorCodes: CODES } = types;
const explained = (thrown: unknown): unknown =>
  explainFailure(thrown, settingsOf({ username: 'u', password: 'p' }));

describe('explainFailure', () => {
  it.each([
    ['a plain error of the library', new Error('No connection available')],
    ['an error of the network', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    ['a request without answer', new errors.OperationTimedOutError('late')],
    ['no reachable node', new errors.NoHostAvailableError({ node: new Error('Connection closed') })],
    ['a write without majority', new errors.ResponseError(CODES.writeTimeout, 'late')],
  ])('reports %s as unavailable', (_, thrown) => {
    expect(explained(thrown)).toBeInstanceOf(ScyllaUnavailable);
  });

  it.each([
    ['a statement that does not fit', new errors.ResponseError(CODES.invalid, 'no such table')],
    ['a missing permission', new errors.ResponseError(CODES.unauthorized, 'not allowed')],
    ['wrong credentials', new errors.NoHostAvailableError({ node: new errors.AuthenticationError('no') })],
  ])('reports %s as rejected', (_, thrown) => {
    expect(explained(thrown)).toBeInstanceOf(ScyllaRejected);
  });

  it('leaves mistakes in parameters as they are', () => {
    for (const mistake of [new TypeError('t'), new RangeError('r')]) expect(explained(mistake)).toBe(mistake);
  });
});
