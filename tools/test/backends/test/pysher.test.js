import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

/** @param {string} url @param {object} command */
const tell = (url, command) => json(url, { method: 'POST', body: JSON.stringify(command) });

describe('pysher', () => {
  it('answers with the version that was asked for', async () => {
    const { url } = await engine('pysher');
    expect(await tell(url, { do: 'version' })).toEqual({ pysher: '1.0.8' });
  });

  it('says what is wrong with a command and lives on', async () => {
    const { url } = await engine('pysher');
    await expect(tell(url, { do: 'ring' })).rejects.toThrow('400: {"error": "KeyError');
    await expect(tell(url, { do: 'next', client: 1 })).rejects.toThrow('400');
    expect(await tell(url, { do: 'version' })).toEqual({ pysher: '1.0.8' });
  });
});
