import { configuration } from '@carillon/testing';
import { expect, it } from 'vitest';
import { openRecords, RECORDS_DRIVERS } from '../src/index.js';

const options = { config: configuration(), table: 'records' };

it('rejects a driver that this build does not have, and names the others', async () => {
  for (const driver of ['postgres', 'toString']) {
    const expected = `records driver "${driver}" is not available; expected ${RECORDS_DRIVERS.join(', ')}`;
    await expect(openRecords(driver, options)).rejects.toThrow(expected);
  }
});
