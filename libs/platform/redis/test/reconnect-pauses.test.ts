import { expect, it } from 'vitest';
import { reconnectPauseMs } from '../src/connection.js';

it('pauses 100 ms before the first attempt, doubling up to 5 s, however many there were', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 5000].map(reconnectPauseMs);
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});
