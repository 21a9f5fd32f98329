import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../src/api.js';
import { CarillonError } from '../src/error.js';
import { World } from './harness/world.js';

type Body = Readonly<Record<string, unknown>>;

/** A test double of the service that records requests and fails on demand. */
function service(failures: CarillonError[] = []) {
  const asked: [string, Body][] = [];
  const api = async ({ path, body }: ApiRequest): Promise<unknown> => {
    asked.push([path, body as Body]);
    const failure = path.endsWith('/append') ? failures.shift() : undefined;
    if (failure !== undefined) throw failure;
    return path === '/events' ? { channels: { 'ai:1': { message_serial: 's:1' } } } : { status: 'applied' };
  };
  const world = new World({ api, isTrusted: true });
  return { asked, stream: () => world.client.channel('ai:1').ai.stream({ transport: { 'run-id': 'r' } }) };
}

const ai = (status: string) => ({ ai: { transport: { 'run-id': 'r', status } } });

describe('an answer that grows', () => {
  it('is published empty, gets its tokens in order, and is ended', async () => {
    const { asked, stream } = service();
    const answer = stream();
    for (const token of ['Hel', 'lo', ' wor', 'ld']) answer.append(token);
    await answer.flushed();
    answer.append('!');
    await answer.complete();
    expect(answer.serial).toBe('s:1');
    expect(() => answer.append('?')).toThrow('ended');
    expect(asked).toMatchObject([
      ['/events', { name: 'ai-output', channel: 'ai:1', data: '', extras: ai('streaming') }],
      ['/channels/ai%3A1/messages/s%3A1/append', { data: 'Hello world', extras: ai('streaming') }],
      ['/channels/ai%3A1/messages/s%3A1/append', { data: '!', extras: ai('streaming') }],
      ['/channels/ai%3A1/messages/s%3A1/append', { data: '', extras: ai('complete') }],
    ]);
  });

  it('repeats what failed in passing as the same operation', async () => {
    const { asked, stream } = service([
      new CarillonError('busy', { status: 503 }),
      new CarillonError('lost'),
    ]);
    const answer = stream();
    answer.append('once');
    await answer.flushed();
    const appends = asked.filter(([path]) => path.endsWith('/append')).map(([, body]) => body['op_id']);
    expect(appends).toHaveLength(3);
    expect(new Set(appends).size).toBe(1);
  });

  it('says so when it is refused, and tries nothing more', async () => {
    const refusal = new CarillonError('not permitted', { status: 403, code: 93002 });
    const { asked, stream } = service([refusal]);
    const answer = stream();
    answer.append('token');
    await expect(answer.flushed()).rejects.toBe(refusal);
    expect(() => answer.append('more')).toThrow(refusal);
    await expect(answer.complete()).rejects.toBe(refusal);
    expect(asked).toHaveLength(2);
  });
});
