import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { json } from '../src/wire/http.js';

const OPTIONS = { app_id: '1', key: 'k', secret: 's', host: '127.0.0.1', port: 1 };
const VERSION = { pusher: 'v5.1.1' };

/** @param {string} url @param {string} body */
const post = (url, body) => json(url, { method: 'POST', body });
/** @param {string} url @param {object} command */
const tell = (url, command) => post(url, JSON.stringify(command));
/** @param {string} method @param {...unknown} given */
const call = (method, ...given) => ({ do: 'call', options: OPTIONS, method, arguments: given });

describe('pusher in Go', () => {
  it('answers with the version that was asked for', async () => {
    const { url } = await engine('pusher-go');
    expect(await tell(url, { do: 'version' })).toEqual(VERSION);
  });

  it.each([
    ['a method that is not offered', call('Trigger2'), 'no method Trigger2'],
    ['a method that only the language knows', call('encryptionMasterKey'), 'no method encryptionMasterKey'],
    ['too few arguments', call('Trigger', 'a'), 'Trigger takes 3 arguments, 1 given'],
    ['an argument of another type', call('Trigger', 5, 'tick', 'x'), 'argument 1 of Trigger: json: '],
    ['a field no type has', call('Channels', { Inform: 'x' }), 'unknown field'],
    ['what the library refuses', call('Trigger', 'no space', 'tick', 'x'), 'names are invalid'],
    ['what the library panics on', call('TriggerMulti', [], 'tick', 'x'), 'TriggerMulti panicked: '],
    ['a service that is not there', call('Channels', {}), 'Get .*127.0.0.1:1/apps/1/channels'],
    ['an option there is none of', { do: 'call', options: { cluster: 'eu' } }, 'unknown field'],
    ['another word', { do: 'ring' }, 'nothing is called'],
  ])('says what is wrong with %s and lives on', async (_, command, reason) => {
    const { url } = await engine('pusher-go');
    await expect(tell(url, command)).rejects.toThrow(new RegExp(`^400: \\{"error":".*${reason}`));
    expect(await tell(url, { do: 'version' })).toEqual(VERSION);
  });

  it('refuses what is no command, no JSON, too long, or not posted to its one address', async () => {
    const { url } = await engine('pusher-go');
    await expect(post(url, '"version"')).rejects.toThrow('400: {"error":"json: cannot unmarshal');
    await expect(post(url, '{"do":"version"} {}')).rejects.toThrow('400: {"error":"the body is not JSON"}');
    await expect(post(url, ' '.repeat(1024 * 1024 + 1))).rejects.toThrow(
      '400: {"error":"http: request body too',
    );
    await expect(json(url)).rejects.toThrow('400: {"error":"only POST / is answered"}');
    await expect(post(`${url}/call`, '{"do":"version"}')).rejects.toThrow('400: ');
    expect(await tell(url, { do: 'version' })).toEqual(VERSION);
  });
});
