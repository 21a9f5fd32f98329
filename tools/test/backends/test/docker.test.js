import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { acquire } from '../src/acquire/acquire.js';
import { redis } from '../src/engines/redis.js';
import { redisCommand } from '../src/wire/redis.js';

const room = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'carillon-docker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command line where there is no program but a `docker`. @param {...string} args */
const cli = (...args) =>
  spawnSync(process.execPath, [room, ...args], {
    encoding: 'utf8',
    env: { PATH: folder, CARILLON_ENGINES_HOME: join(folder, 'home') },
  });

describe('an engine whose program cannot be had', () => {
  it('runs as its compose service on a private port, and its volumes go with it', async () => {
    const { tools } = await acquire([redis]);
    const server = tools.get('redis')?.programs.server;
    const script = [
      '#!/bin/sh',
      `echo "$@" >> ${folder}/calls`,
      `case "$*" in *" up "*) exec ${server} --port "$CARILLON_PORT" --bind 127.0.0.1 --save '' ;; esac`,
    ];
    writeFileSync(join(folder, 'docker'), script.join('\n'), { mode: 0o755 });

    const up = cli('up', 'redis');
    expect(up.status).toBe(0);
    const url = up.stdout.trim().replace('CARILLON_ENGINE_REDIS=', '');
    expect(await redisCommand(url, 'PING')).toBe('PONG');
    expect(cli('down').status).toBe(0);
    await expect(redisCommand(url, 'PING')).rejects.toThrow('ECONNREFUSED');

    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
    const project = /-p (redis-\w+) /.exec(calls[1] ?? '')?.[1];
    const compose = `compose -p ${project} -f ${join(room, 'compose.yaml')}`;
    expect(calls).toEqual([
      'compose ls -q',
      `${compose} up --no-log-prefix redis`,
      `${compose} kill redis`,
      `${compose} down --volumes --timeout 0`,
    ]);
  });
});
