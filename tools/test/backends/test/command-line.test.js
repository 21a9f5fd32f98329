import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { redisCommand } from '../src/wire/redis.js';

const room = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
afterAll(async () => {
  await cli('down');
  rmSync(folder, { recursive: true, force: true });
});

/** @param {...string} args @returns {Promise<{ code: number | null, out: string, err: string }>} */
const cli = (...args) => cliWith({}, ...args);

/** @param {Record<string, string>} env @param {...string} args @returns {Promise<{ code: number | null, out: string, err: string }>} */
function cliWith(env, ...args) {
  const child = spawn(process.execPath, [room, ...args], {
    env: { PATH: process.env.PATH ?? '', CARILLON_ENGINES_HOME: folder, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise((done) => child.once('close', (code) => done({ code, out, err })));
}

/** @param {string} text */
const urlIn = (text) => /^(?:export )?CARILLON_ENGINE_REDIS='?([^'\n]+)'?\n$/.exec(text)?.[1] ?? 'none';

describe('the command line', () => {
  it('starts engines that outlive it, says where they are, and ends them without a trace', async () => {
    const up = await cli('up', 'redis');
    expect(up.code).toBe(0);
    const url = urlIn(up.out);
    expect(await redisCommand(url, 'PING')).toBe('PONG');
    expect(urlIn((await cli('up', 'redis')).out)).toBe(url);
    expect(urlIn((await cli('env')).out)).toBe(url);
    expect((await cli('status')).out).toMatch(/^redis +running +\d+ MB +redis:/);

    expect(await cli('down', 'redis')).toMatchObject({ code: 0, err: 'engines: ended redis\n' });
    await expect(redisCommand(url, 'PING')).rejects.toThrow('ECONNREFUSED');
    expect((await cli('status')).out).toBe('');
    expect(readdirSync(folder).filter((name) => name.startsWith('redis-'))).toEqual([]);
  });

  it('uses the address the environment gives and keeps it out of what it prints', async () => {
    const url = urlIn((await cli('up', 'redis')).out);
    const given = { CARILLON_ENGINE_REDIS: url, CARILLON_ENGINES_HOME: join(folder, 'elsewhere') };
    const up = await cliWith(given, 'up', 'redis');
    expect(up).toMatchObject({
      code: 0,
      out: '',
      err: 'engines: redis is the one CARILLON_ENGINE_REDIS names\n',
    });
    expect((await cliWith(given, 'status')).out).not.toContain(url);
    expect(readdirSync(join(folder, 'elsewhere')).some((name) => name.startsWith('redis-'))).toBe(false);
  });

  it('fails and names the engine that is missing', async () => {
    const up = await cliWith({ CARILLON_ENGINE_NATS: 'nats://127.0.0.1:1' }, 'up', 'nats');
    expect(up.code).toBe(1);
    expect(up.err).toContain('missing: nats: what CARILLON_ENGINE_NATS names does not answer');
  });

  it('explains itself when it is not understood, and changes nothing', async () => {
    for (const args of [
      [],
      ['ring'],
      ['up'],
      ['up', 'bell'],
      ['up', 'redis', '--hours', 'x'],
      ['up', '--loud'],
    ]) {
      const { code, out, err } = await cliWith({ CARILLON_ENGINES_HOME: join(folder, 'none') }, ...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('Usage: node tools/test/backends');
    }
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
