import { expect, it } from 'vitest';
import { OneTimeLogin } from '../src/auth/one-time.js';

it('OneTimeLogin accepts its token once, within 10 minutes, until another one is issued', () => {
  let nowMs = 0;
  const login = new OneTimeLogin(() => nowMs);
  expect(login.redeem('')).toBe(false);
  const token = login.issue();
  expect(token).toMatch(/^cmo_[\w-]{43}$/);
  expect(login.redeem(`${token}x`)).toBe(false);
  expect([login.redeem(token), login.redeem(token)]).toEqual([true, false]);
  const late = login.issue();
  nowMs = 600_000;
  expect(login.redeem(late)).toBe(false);
  const replaced = login.issue();
  login.issue();
  expect(login.redeem(replaced)).toBe(false);
});
