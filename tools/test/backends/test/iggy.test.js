import { expect, it } from 'vitest';
import { engine } from '../src/index.js';

it('iggy refuses wrong passwords with an error body', async () => {
  const { url } = await engine('iggy');
  const { host } = new URL(url.replace(/^iggy(\+\w+)?:/, 'http:'));
  const response = await fetch(`http://${host}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"username":"iggy","password":"wrong"}',
  });
  expect(response.ok).toBe(false);
  expect(await response.json()).toMatchObject({ code: 'invalid_credentials' });
});
