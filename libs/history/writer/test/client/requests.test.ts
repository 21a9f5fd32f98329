import { describe, expect, it } from 'vitest';
import { settled } from '../manual-clock.js';
import { publishOf } from '../samples.js';
import { ClientScene, committed, ids, silent } from './scene.js';

const NO_RESPONDER = { kind: 'no_responder' } as const;
const BACKPRESSURE = { kind: 'refused', code: 'backpressure' } as const;

describe('a publisher', () => {
  it('has one request on its way per channel, and the next takes all that came meanwhile, in order', async () => {
    const scene = new ClientScene();
    const answers: (() => void)[] = [];
    scene.answer = (request) => new Promise((resolve) => answers.push(() => resolve(committed(request))));
    const [first, ...later] = ['1', '2', '3'].map((data) => publishOf('a', data));
    const other = publishOf('b', '1');
    const calls = [scene.client.commit(first === undefined ? [] : [first])];
    await settled();
    calls.push(...later.map((record) => scene.client.commit([record])), scene.client.commit([other]));
    await settled();
    expect(scene.requests.map(({ records }) => ids(records))).toEqual([
      ids(first === undefined ? [] : [first]),
      ids([other]),
    ]);
    answers.splice(0).forEach((answer) => answer());
    await settled();
    expect(scene.requests.slice(2).map(({ records }) => ids(records))).toEqual([ids(later)]);
    answers.forEach((answer) => answer());
    expect((await Promise.all(calls)).flat()).toHaveLength(4);
  });

  it('sends the records of one tick together, 128 and 512 KiB at most', async () => {
    const scene = new ClientScene();
    await scene.client.commit(Array.from({ length: 300 }, (_, n) => publishOf(`c${n}`, String(n))));
    expect(scene.requests.map(({ records }) => records.length)).toEqual([128, 128, 44]);
    scene.requests.length = 0;
    await scene.client.commit(Array.from({ length: 3 }, (_, n) => publishOf(`c${n}`, 'x'.repeat(200_000))));
    expect(scene.requests.map(({ records }) => records.length)).toEqual([2, 1]);
  });

  it('asks again after 50, 100, 200, 400, 400 … ms while nobody is there, and gives up after 3 s', async () => {
    const scene = new ClientScene();
    scene.answer = async () => NO_RESPONDER;
    const call = scene.client.commit([publishOf('a', '1')]);
    await scene.clock.pass(4000);
    expect(await call).toMatchObject([{ status: 'rejected', code: 'service_unavailable', http_status: 503 }]);
    expect(scene.sentAtMs.slice(0, 6)).toEqual([0, 50, 150, 350, 750, 1150]);
    expect(scene.sentAtMs.at(-1)).toBeLessThan(3400);
    expect(new Set(scene.requests.flatMap(({ records }) => ids(records))).size).toBe(1);
    expect(scene.requests[5]?.budget_ms).toBe(5000 - 1150);
  });

  it('asks a silent writer every second, and the answer to an earlier sending counts', async () => {
    const scene = new ClientScene();
    const answers: (() => void)[] = [];
    scene.answer = (request) => {
      if (scene.requests.length > 1) return silent();
      return new Promise((resolve) => {
        answers.push(() => resolve(committed(request, { delivery_serial: 7 })));
      });
    };
    const call = scene.client.commit([publishOf('a', '1')]);
    await scene.clock.pass(2500);
    expect(scene.sentAtMs).toEqual([0, 1000, 2000]);
    expect(scene.resent).toEqual(['silent', 'silent']);
    answers.forEach((answer) => answer());
    expect(await call).toMatchObject([{ status: 'applied', delivery_serial: 7 }]);
  });

  it('has an answer when its time is over, and its channel goes on', async () => {
    const scene = new ClientScene();
    scene.answer = silent;
    const calls = [scene.client.commit([publishOf('a', '1')])];
    await scene.clock.pass(1000);
    calls.push(scene.client.commit([publishOf('a', '2')]));
    await scene.clock.pass(4000);
    expect(await calls[0]).toMatchObject([{ code: 'service_unavailable' }]);
    expect(scene.sentAtMs).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    await scene.clock.pass(1000);
    expect(await calls[1]).toMatchObject([{ code: 'service_unavailable' }]);
    scene.answer = async (request) => committed(request);
    expect(await scene.client.commit([publishOf('a', '3')])).toMatchObject([{ status: 'applied' }]);
  });

  it('takes backpressure for an answer to its first sending only', async () => {
    const scene = new ClientScene();
    scene.answer = async () => BACKPRESSURE;
    expect(await scene.client.commit([publishOf('a', '1')])).toMatchObject([
      { code: 'backpressure', http_status: 503 },
    ]);
    let sends = 0;
    scene.answer = async (request) => {
      sends += 1;
      if (sends === 1) return NO_RESPONDER;
      return sends === 2 ? BACKPRESSURE : committed(request);
    };
    const call = scene.client.commit([publishOf('a', '2')]);
    await scene.clock.pass(1100);
    expect(await call).toMatchObject([{ status: 'applied' }]);
  });

  it.each(['lane_mismatch', 'unsupported_version'] as const)('is unavailable after %s', async (code) => {
    const scene = new ClientScene();
    scene.answer = async () => ({ kind: 'refused', code });
    expect(await scene.client.commit([publishOf('a', '1')])).toMatchObject([{ code: 'service_unavailable' }]);
  });

  it('is told of what expired at the writer, or got no result, as unavailable', async () => {
    const scene = new ClientScene();
    scene.answer = async (request) => committed(request, { status: 'expired' });
    expect(await scene.client.commit([publishOf('a', '1')])).toMatchObject([{ code: 'service_unavailable' }]);
    scene.answer = async () => ({ kind: 'committed', results: [] });
    expect(await scene.client.commit([publishOf('a', '1')])).toMatchObject([{ code: 'service_unavailable' }]);
    scene.answer = () => Promise.reject(new Error('broken'));
    const call = scene.client.commit([publishOf('a', '1')]);
    await scene.clock.pass(5000);
    expect(await call).toMatchObject([{ code: 'service_unavailable' }]);
  });

  it('refuses more than 4096 records without an answer, and a record that the broker does not carry', async () => {
    const scene = new ClientScene({ maxRecordBytes: 100_000 });
    scene.answer = silent;
    const open = scene.client.commit(Array.from({ length: 4096 }, (_, n) => publishOf('a', String(n))));
    expect(await scene.client.commit([publishOf('b', '1')])).toMatchObject([{ code: 'backpressure' }]);
    const large = publishOf('b', 'x'.repeat(100_000));
    expect(await scene.client.commit([large])).toMatchObject([
      { code: 'payload_too_large', http_status: 413 },
    ]);
    await scene.clock.pass(5000);
    expect(await open).toHaveLength(4096);
    scene.answer = async (request) => committed(request);
    expect(await scene.client.commit([publishOf('b', '2')])).toMatchObject([{ status: 'applied' }]);
  });

  it('sends a chain lane by lane, and ends it with the first that is rejected', async () => {
    const scene = new ClientScene({ lanes: 16 });
    const records = ['a', 'b', 'c', 'd', 'e', 'f'].map((channel) => publishOf(channel, '1'));
    scene.answer = async (request) =>
      committed(
        request,
        ids(request.records).includes(records[2]?.pub_id ?? '')
          ? { status: 'rejected', code: 'conflict' }
          : {},
      );
    const results = await scene.client.commitChain(records);
    expect(ids(results)).toEqual(ids(records));
    expect(results.slice(0, 3).at(-1)?.status).toBe('rejected');
    expect(results.at(-1)?.status).toBe('skipped');
    expect(scene.requests.every(({ chain }) => chain)).toBe(true);
  });
});
