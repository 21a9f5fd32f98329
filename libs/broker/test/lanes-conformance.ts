import type { FanOutRecordBody } from '@carillon/contracts';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Wire } from '../src/cluster/wire.js';
import { addressName } from '../src/lanes/address-key.js';
import { type LaneHandler } from '../src/index.js';
import { clusterNode, type ClusterNode, OPTIONS } from './cluster.js';
import { SOON, stranger, type SharedBroker } from './installation.js';
import { Gateway } from './samples.js';

/** Capabilities of a broker with lanes; everything else is equal for all. */
export interface LanesBroker extends SharedBroker {
  /** Whether it reports a missing server of an address. */
  readonly knowsResponders: boolean;
  /** Number of servers of an address that receive a request. */
  readonly takers: 'all' | 'one';
  /** Whether requests have a head that a stranger can write wrongly. */
  readonly hasHeads: boolean;
}

const LANE = { use: 'commit', lane: 1 } as const;
const BUDGET_MS = 5000;
const SHORT_MS = 300;

/** Starts `count` processes without sockets. */
async function processes(broker: SharedBroker, count: number): Promise<ClusterNode[]> {
  const open = async (): Promise<ClusterNode> => {
    const node = clusterNode(await broker.wire(), { routing: broker.routing });
    onTestFinished(() => node.broker.close());
    await vi.waitFor(async () => expect(await node.broker.health()).toBeNull(), SOON);
    return node;
  };
  return Promise.all(Array.from({ length: count }, open));
}

async function pair(broker: SharedBroker): Promise<{ asking: ClusterNode; serving: ClusterNode }> {
  const [asking, serving] = await processes(broker, 2);
  if (asking === undefined || serving === undefined) throw new Error('two processes');
  return { asking, serving };
}

/** Answers with the request and its count. */
function echo(): { readonly handler: LaneHandler; readonly asked: string[] } {
  const asked: string[] = [];
  const handler: LaneHandler = async (text) => {
    const { said } = JSON.parse(text) as { said: string };
    asked.push(said);
    return JSON.stringify({ heard: said });
  };
  return { handler, asked };
}

const saying = (said: string): string => JSON.stringify({ v: 1, kind: 'test', said });
const answerOf = (heard: { kind: string; text?: string }): unknown =>
  heard.text === undefined ? heard.kind : (JSON.parse(heard.text) as { heard: string }).heard;

export const record = (serial: number, more: Partial<FanOutRecordBody> = {}): FanOutRecordBody => ({
  writer_id: 'w-1',
  app_id: 'shop',
  channel: 'orders',
  stream_id: '5b0e8a52-0c1e-4b52-9f10-2a6f0c1d9e77',
  serial,
  history_serial: serial,
  annotation_no: null,
  published_at_ms: 1,
  op: 'publish',
  message_id: `m-${serial}`,
  except_socket: null,
  message: '{"event":"e"}',
  ...more,
});

/** Requirements of the lanes of a driver. */
export function lanesConformance(name: string, open: () => Promise<LanesBroker>): void {
  describe(`lanes over ${name}`, { timeout: 60_000 }, () => {
    it('brings every request to who serves the address, and the answer back to who asked', async () => {
      const broker = await open();
      const [serving, ...asking] = await processes(broker, 3);
      const { handler, asked } = echo();
      await serving?.broker.lanes.serve(LANE, handler);
      const said = Array.from({ length: 50 }, (_, index) => `é "${index}"`);
      const answers = await Promise.all(
        asking.flatMap(({ broker: { lanes } }) =>
          said.map((one) => lanes.call(LANE, saying(one), BUDGET_MS)),
        ),
      );
      expect(answers.map(answerOf)).toEqual([...said, ...said]);
      expect(asked).toHaveLength(100);
    });

    it('keeps addresses apart', async () => {
      const { asking, serving } = await pair(await open());
      const [commits, reads] = [echo(), echo()];
      await serving.broker.lanes.serve(LANE, commits.handler);
      await serving.broker.lanes.serve({ use: 'read', lane: 1 }, reads.handler);
      await asking.broker.lanes.call({ use: 'read', lane: 1 }, saying('read'), BUDGET_MS);
      expect(reads.asked).toEqual(['read']);
      expect(commits.asked).toEqual([]);
    });

    it('tells in the way of the broker that nobody serves an address', async () => {
      const broker = await open();
      const { asking, serving } = await pair(broker);
      const nobody = { kind: broker.knowsResponders ? 'no_responder' : 'silent' };
      expect(await asking.broker.lanes.call(LANE, saying('a'), SHORT_MS)).toEqual(nobody);
      await serving.broker.lanes.serve(LANE, echo().handler);
      await serving.broker.lanes.stopServing(LANE);
      expect(await asking.broker.lanes.call(LANE, saying('b'), SHORT_MS)).toEqual(nobody);
    });

    it('serves again what was given up', async () => {
      const { asking, serving } = await pair(await open());
      for (let round = 0; round < 3; round += 1) {
        await serving.broker.lanes.serve(LANE, echo().handler);
        expect(answerOf(await asking.broker.lanes.call(LANE, saying('x'), BUDGET_MS))).toBe('x');
        await serving.broker.lanes.stopServing(LANE);
      }
    });

    it('lets two serve one address while it moves, and loses no request', async () => {
      const broker = await open();
      const { asking, serving: before } = await pair(broker);
      const [after] = await processes(broker, 1);
      const served = [echo(), echo()] as const;
      await before.broker.lanes.serve(LANE, served[0].handler);
      await after?.broker.lanes.serve(LANE, served[1].handler);
      const both = Array.from({ length: 20 }, (_, index) => String(index));
      const answers = await Promise.all(
        both.map((one) => asking.broker.lanes.call(LANE, saying(one), BUDGET_MS)),
      );
      expect(answers.map(answerOf)).toEqual(both);
      const taken = served.map(({ asked }) => asked.length).reduce((sum, one) => sum + one);
      if (broker.takers === 'one') expect(taken).toBe(20);
      await before.broker.lanes.stopServing(LANE);
      expect(answerOf(await asking.broker.lanes.call(LANE, saying('x'), BUDGET_MS))).toBe('x');
    });

    it('finishes by its budget when the answer is late, missing or fails, and goes on', async () => {
      const { asking, serving } = await pair(await open());
      const late: { answer: (text: string) => void } = { answer: () => {} };
      await serving.broker.lanes.serve(LANE, async (text) => {
        if (text.includes('fail')) throw new Error('a bug');
        if (text.includes('nothing')) return null;
        if (text.includes('late')) return new Promise((resolve) => (late.answer = resolve));
        return '{"heard":"fine"}';
      });
      const { lanes } = asking.broker;
      const outcomes = ['late', 'nothing', 'fail'].map((one) => lanes.call(LANE, saying(one), SHORT_MS));
      expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => ({ kind: 'silent' })));
      late.answer('{"heard":"late"}');
      expect(answerOf(await lanes.call(LANE, saying('x'), BUDGET_MS))).toBe('fine');
      expect(serving.counts.dropped).toBe(1);
    });

    it('carries what is as large as a message may be, and nothing larger', async () => {
      const { asking, serving } = await pair(await open());
      const { handler, asked } = echo();
      await serving.broker.lanes.serve(LANE, handler);
      const { lanes } = asking.broker;
      const large = 'x'.repeat(OPTIONS.maxMessageBytes - 1024);
      expect(answerOf(await lanes.call(LANE, saying(large), BUDGET_MS))).toBe(large);
      const tooLarge = saying('x'.repeat(OPTIONS.maxMessageBytes));
      expect(await lanes.call(LANE, tooLarge, SHORT_MS)).toEqual({ kind: 'silent' });
      expect(asked).toEqual([large]);
    });

    it('tells announcements to all others who hear them', async () => {
      const [one, two] = await processes(await open(), 2);
      const heard: string[] = [];
      await one?.broker.lanes.hear(() => {});
      await two?.broker.lanes.hear((bytes) => heard.push(Buffer.from(bytes).toString()));
      await one?.broker.lanes.announce('{"v":1}');
      await vi.waitFor(() => expect(heard).toEqual(['{"v":1}']), SOON);
    });

    it('hands records in order to every process that wants their channel', async () => {
      const broker = await open();
      const { asking: writing, serving } = await pair(broker);
      const members = [serving, ...(await processes(broker, 2))];
      const received = members.map(({ broker }) => {
        const serials: (number | null | undefined)[] = [];
        const gateway = new Gateway(broker);
        Object.assign(gateway, { deliverRecord: ({ serial }: FanOutRecordBody) => serials.push(serial) });
        return serials;
      });
      const [first, second] = members;
      await first?.broker.subscribe('shop', 'orders');
      await second?.broker.subscribe('shop', 'orders');
      const serials = Array.from({ length: 100 }, (_, index) => index + 1);
      await Promise.all(serials.map((serial) => writing.broker.lanes.handOver(record(serial))));
      await vi.waitFor(() => expect(received).toEqual([serials, serials, []]), SOON);
    });

    it('does not work on what is no request', async () => {
      const broker = await open();
      if (!broker.hasHeads) return;
      const { asking, serving } = await pair(broker);
      const { session, wire } = await stranger(broker);
      const { handler, asked } = echo();
      await serving.broker.lanes.serve(LANE, handler);
      await hostile(session.publish.bind(session), wire);
      expect(answerOf(await asking.broker.lanes.call(LANE, saying('x'), BUDGET_MS))).toBe('x');
      expect(asked).toEqual(['x']);
    });
  });
}

async function hostile(
  publish: (address: string, text: string) => Promise<void>,
  { names }: Wire,
): Promise<void> {
  const id = 'a'.repeat(36);
  const texts = [
    '',
    'no JSON',
    '{}',
    saying('no head'),
    `{"request_id":"${id}","reply_to":"${names.broadcast}","said":"elsewhere"}`,
    `{"request_id":"a b","reply_to":"${names.reply('x')}","said":"id"}`,
    `{"request_id":"${'a'.repeat(1000)}","reply_to":"${names.reply('x')}","said":"long"}`,
    `{"reply_to":"${names.reply('x')}","request_id":"${id}","said":"order"}`,
  ];
  for (const text of texts) await publish(addressName(names, LANE), text);
}
