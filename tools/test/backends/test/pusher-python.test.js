import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

/** @param {string} url @param {object} command */
const tell = (url, command) => json(url, { method: 'POST', body: JSON.stringify(command) });

describe('pusher in Python', () => {
  it('answers with the version that was asked for', async () => {
    const { url } = await engine('pusher-python');
    expect(await tell(url, { do: 'version' })).toEqual({ pusher: '3.3.3' });
  });

  it('says what is wrong with a call and lives on', async () => {
    const { url } = await engine('pusher-python');
    const options = { app_id: '1', key: 'k', secret: 's', host: '127.0.0.1', port: 1 };
    const call = { do: 'call', options, method: 'trigger', arguments: { channels: 5 } };
    await expect(tell(url, call)).rejects.toThrow('400');
    await expect(tell(url, { ...call, method: '__init__' })).rejects.toThrow('no method');
    expect(await tell(url, { do: 'version' })).toEqual({ pusher: '3.3.3' });
  });
});
