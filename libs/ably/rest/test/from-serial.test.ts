import { expect, it, vi } from 'vitest';
import type { Access } from '../src/access.js';
import { FromSerial } from '../src/from-serial.js';

const access = { principal: { app: { id: 'shop' } }, channel: { name: 'c' } } as unknown as Access;

it('asks no store for what cannot be the serial of a message', async () => {
  const latest = vi.fn(async () => ({ history_serial: 7 }));
  const from = new FromSerial({ serialAt: async () => null }, { latest });
  expect(await from.endOf(access, '0001:n1:0002')).toBe(7);
  for (const text of ['', '\0', 'a b', 'é', 'x'.repeat(129)])
    await expect(from.endOf(access, text)).rejects.toMatchObject({ code: 90_005, statusCode: 400 });
  expect(latest).toHaveBeenCalledTimes(1);
});
