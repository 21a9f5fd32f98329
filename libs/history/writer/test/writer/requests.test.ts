import { describe, expect, it } from 'vitest';
import { RemoteLanes } from '../../src/index.js';
import { publishOf } from '../samples.js';
import { WriterScene } from './scene.js';

async function served() {
  const scene = new WriterScene(1);
  const process = scene.start();
  await scene.clock.pass(1500);
  const end = scene.hub.open();
  const call = async (text: string): Promise<unknown> => {
    const heard = end.call({ use: 'commit', lane: 0 }, text, 500);
    await scene.clock.pass(600);
    const outcome = await heard;
    return outcome.kind === 'reply' ? JSON.parse(outcome.text) : outcome.kind;
  };
  return { scene, process, end, call };
}

describe('what a writer is sent', () => {
  it('is refused when it is of another version', async () => {
    const { call } = await served();
    expect(await call('{"v":2,"kind":"commit"}')).toEqual({
      v: 1,
      kind: 'refused',
      code: 'unsupported_version',
    });
  });

  it('is dropped when it is no request', async () => {
    const { call, process } = await served();
    for (const text of ['', 'null', '{}', '{"v":1,"kind":"commit"}', '{"v":1,"kind":"of the future"}'])
      expect(await call(text)).toBe('silent');
    expect(process.lines.filter((line) => line.startsWith('dropped'))).toHaveLength(5);
  });

  it('is rejected record by record, and its good neighbours are committed', async () => {
    const { scene } = await served();
    const good = publishOf('orders', '1');
    const bad = { ...publishOf('orders', '2'), message: 'a\0b' };
    const committed = scene.publisher.commit([bad, good]);
    await scene.clock.pass(100);
    const statuses = (await committed).map(({ status, code }) => [status, code]);
    expect(statuses).toEqual([
      ['rejected', 'invalid_input'],
      ['applied', undefined],
    ]);
  });

  it('is not answered when it arrives after the lane was given up, so that another one is asked', async () => {
    const { scene, process, end } = await served();
    scene.hub.weather = { delayMs: () => 3000, copies: () => 1 };
    const request = { v: 1, kind: 'commit', lanes: 1, lane: 0, budget_ms: 5000, chain: false, node_id: 'n1' };
    const text = JSON.stringify({ ...request, records: [publishOf('orders', '1')] });
    const late = end.call({ use: 'commit', lane: 0 }, text, 9000);
    void process.writer.leave();
    await scene.clock.pass(10_000);
    expect(process.writer.serving).toEqual([]);
    expect(await late).toEqual({ kind: 'silent' });
    expect(await scene.stored('orders')).toEqual([]);
  });

  it('announced by a stranger is dropped when it cannot be read', async () => {
    const { scene, process, end } = await served();
    await end.announce('{"v":1,"kind":"writer","writer_id":"x"}');
    await end.announce('no JSON');
    await scene.clock.pass(10);
    expect(process.lines.filter((line) => line.startsWith('dropped'))).toHaveLength(2);
    expect(process.writer.serving).toEqual([0]);
  });
});

const body = (records: readonly { readonly pub_id: string }[]) => ({
  lanes: 1,
  lane: 0,
  budget_ms: 1000,
  chain: false,
  node_id: 'api-1',
  records: [...records],
});

describe('what comes back to a publisher', () => {
  it('is silence when it cannot be read', async () => {
    const scene = new WriterScene(1);
    const end = scene.hub.open();
    await end.serve({ use: 'commit', lane: 0 }, async () => '{"v":1,"kind":"committed","results":[]}');
    let answered = false;
    void new RemoteLanes(scene.hub.open()).send(body([publishOf('a', '1')])).finally(() => (answered = true));
    await scene.clock.pass(2000);
    expect(answered).toBe(false);
  });

  it('is a rejection at once when the request cannot be sent', async () => {
    const scene = new WriterScene(1);
    const lanes = new RemoteLanes(scene.hub.open());
    const large = publishOf('a', 'x'.repeat(2 * 1024 * 1024));
    expect(await lanes.send(body([large]))).toMatchObject({ results: [{ code: 'payload_too_large' }] });
    expect(await lanes.send(body([{ pub_id: 'none' }]))).toMatchObject({
      results: [{ code: 'invalid_input' }],
    });
  });

  it('is that nobody is there when nobody is', async () => {
    const scene = new WriterScene(1);
    const answer = await new RemoteLanes(scene.hub.open()).send(body([publishOf('a', '1')]));
    expect(answer).toEqual({ kind: 'no_responder' });
  });
});
