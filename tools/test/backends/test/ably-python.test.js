import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

describe('ably in Python', () => {
  it('answers with the version that was asked for', async () => {
    const { url } = await engine('ably-python');
    const told = await json(url, { method: 'POST', body: JSON.stringify({ do: 'version' }) });
    expect(told).toEqual({ ably: '3.1.4' });
  });
});
