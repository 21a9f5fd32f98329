import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { redisCommand } from '../src/wire/redis.js';

/** @import { EngineHandle } from '../src/index.js' */

describe('redis', () => {
  it('answers commands', async () => {
    const redis = await engine('redis');
    const { name } = await redis.isolate();
    expect(await redisCommand(redis.url, 'PING')).toBe('PONG');
    expect(await redisCommand(redis.url, 'SET', `${name}:bell`, 'tenor', 'EX', '60')).toBe('OK');
    expect(await redisCommand(redis.url, 'MGET', `${name}:bell`, `${name}:none`)).toEqual(['tenor', null]);
  });

  it('rejects with what the server says', async () => {
    const { url } = await engine('redis');
    await expect(redisCommand(url, 'NO-SUCH-COMMAND')).rejects.toThrow('unknown command');
  });

  it('that others use cannot be controlled', async () => {
    process.env.CARILLON_ENGINE_NATS = 'nats://127.0.0.1:1';
    const given = await engine('nats');
    delete process.env.CARILLON_ENGINE_NATS;
    expect(given).toMatchObject({ origin: 'environment', host: '127.0.0.1', port: 1, nodes: [] });
    for (const control of ['kill', 'pause', 'resume', 'restart']) {
      await expect(Reflect.get(given, control).call(given)).rejects.toThrow('used by others');
    }
  });
});

describe('an own engine', () => {
  /** @type {EngineHandle} */
  let own;
  beforeAll(async () => {
    own = await engine('redis', { own: true });
  });
  afterAll(() => own.release());

  it('is another one than the shared one', async () => {
    expect(own.origin).toBe('own');
    expect(own.port).not.toBe((await engine('redis')).port);
  });

  it('stops answering when killed and comes back on the same port', async () => {
    const [before] = own.nodes;
    await own.kill();
    await expect(own.ready()).rejects.toThrow('ECONNREFUSED');
    await own.restart();
    expect(await redisCommand(own.url, 'PING')).toBe('PONG');
    const [after] = own.nodes;
    expect(after).toEqual({ ...before, pid: after?.pid });
    expect(after?.pid).not.toBe(before?.pid);
  });

  it('is silent while paused and answers afterwards what it was asked meanwhile', async () => {
    await own.pause();
    let answered = false;
    const answer = redisCommand(own.url, 'PING').finally(() => {
      answered = true;
    });
    // While another one answers, this one has its chance to.
    await (await engine('redis')).ready();
    expect(answered).toBe(false);
    await own.resume();
    expect(await answer).toBe('PONG');
  });

  it('names the nodes it has when asked for another', async () => {
    await expect(own.kill('nobody')).rejects.toThrow('redis has no node nobody');
  });
});
