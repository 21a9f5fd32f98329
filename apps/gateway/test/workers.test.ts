import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answers, isAlive, residentBytes, until, Workers } from './running-workers.js';

// Each test starts several processes.
describe('several gateways on one port', { timeout: 120_000 }, () => {
  it('share the connections, replace one that is killed, and end in order, under a process that loads nothing', async () => {
    const workers = await Workers.start(2);
    await workers.ready();
    const [supervisor, ...each] = [workers.supervisor.child.pid ?? 0, ...workers.pids()].map(residentBytes);
    if (process.platform === 'linux')
      for (const worker of each) expect(supervisor).toBeLessThan(worker * 0.6);
    const clients = await workers.connectMany(40);
    const before = await workers.connected();
    expect(before).toHaveLength(2);
    expect(before[0]).toBeGreaterThan(0);
    expect(before[1]).toBeGreaterThan(0);

    const [first = 0] = workers.pids();
    process.kill(first, 'SIGKILL');
    await workers.supervisor.says(
      /worker ended, starting it again","worker":0,"exit_code":1,"signal":"SIGKILL"/,
    );
    await until(() => workers.said('"message":"worker ready"') === 3);
    const alive = await Promise.all(clients.map(answers));
    expect(alive.filter(Boolean)).toHaveLength(before[1] ?? 0);
    expect((await workers.connected())[1]).toBe(before[1]);
    await workers.connectMany(40);
    expect((await workers.connected())[0]).toBeGreaterThan(0);

    expect(await workers.supervisor.kill('SIGTERM')).toBe(0);
    expect(workers.pids()).toHaveLength(3);
    expect(workers.pids().filter(isAlive)).toEqual([]);
    expect(workers.said('"message":"stopped"')).toBe(2);
  });

  it('answer /up with STARTING when one of them serves and another does not yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-workers-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const held = join(folder, 'go');
    const workers = await Workers.start(2, {}, held);
    await workers.supervisor.says(/"message":"worker ready","worker":0/);
    await workers.connectMany(1);
    for (const path of ['/up', `/up/shop-${workers.port}`, '/accept-traffic'])
      expect([path, await workers.probe(path)]).toEqual([path, 503]);
    expect(await workers.probe('/live')).toBe(200);
    await writeFile(held, '');
    await until(async () => (await workers.probe('/up')) === 200);
    expect(await workers.connectMany(30)).toHaveLength(30);
    expect(await workers.probe(`/up/shop-${workers.port}`)).toBe(200);
    expect(await workers.probe('/accept-traffic')).toBe(200);
    expect(await workers.supervisor.kill('SIGTERM')).toBe(0);
  });

  it('replace one that is told to stop alone, which leaves the port to the others first', async () => {
    const workers = await Workers.start(2, { SHUTDOWN_GRACE_PERIOD: '3', DRAIN_DELAY_MS: '2000' });
    await workers.ready();
    const [first = 0] = workers.pids();
    process.kill(first, 'SIGTERM');
    await workers.supervisor.says(/leaving the port to the other workers/);
    for (let index = 0; index < 40; index += 1) expect(await workers.probe('/up')).toBe(200);
    expect((await workers.connectMany(20)).length).toBe(20);
    expect(isAlive(first)).toBe(true);
    await workers.supervisor.says(/worker ended, starting it again","worker":0,"exit_code":0/);
    // The replacement joins when it can serve: nobody is told that it is starting.
    while (workers.said('"message":"worker ready"') < 3) expect(await workers.probe('/up')).toBe(200);
    expect(await workers.supervisor.kill('SIGTERM')).toBe(0);
  });

  it('go on answering while all of them drain', async () => {
    const workers = await Workers.start(2, { SHUTDOWN_GRACE_PERIOD: '3', DRAIN_DELAY_MS: '2000' });
    await workers.ready();
    const stopped = workers.supervisor.kill('SIGINT');
    // As a terminal does, which signals every process it has.
    for (const pid of workers.pids()) process.kill(pid, 'SIGINT');
    await until(() => workers.said('"message":"stopping"') === 2);
    expect(await workers.probe('/up')).toBe(503);
    expect(await workers.probe('/live')).toBe(200);
    expect(await stopped).toBe(0);
    expect(workers.said('leaving the port')).toBe(0);
  });

  it('exit at once, with 1, at the second signal', async () => {
    const workers = await Workers.start(2, { SHUTDOWN_GRACE_PERIOD: '3600', DRAIN_DELAY_MS: '60000' });
    await workers.ready();
    const stopped = workers.supervisor.kill('SIGTERM');
    await until(() => workers.said('"message":"stopping"') === 2);
    workers.supervisor.child.kill('SIGTERM');
    expect(await stopped).toBe(1);
    expect(workers.pids().filter(isAlive)).toEqual([]);
  });

  it('end by themselves when the process that started them is killed', async () => {
    const workers = await Workers.start(2);
    await workers.ready();
    await workers.supervisor.kill('SIGKILL');
    await until(() => !workers.pids().some(isAlive));
    expect(await workers.probe('/live')).toBe(0);
  });

  it('end in order when they are told to while they start', async () => {
    const workers = await Workers.start(2);
    await until(() => workers.pids().length === 2);
    expect(await workers.supervisor.kill('SIGTERM')).toBe(0);
    expect(workers.pids().filter(isAlive)).toEqual([]);
  });

  it('are not started when one cannot be', async () => {
    const workers = await Workers.start(2, { REDIS_URL: 'redis://127.0.0.1:1', STARTUP_TIMEOUT_MS: '500' });
    expect(await new Promise((done) => workers.supervisor.child.once('close', done))).toBe(1);
    expect(workers.supervisor.output).toContain('worker ended before all were ready');
    expect(workers.pids().filter(isAlive)).toEqual([]);
  });
});
