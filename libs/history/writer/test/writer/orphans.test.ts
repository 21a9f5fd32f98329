import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { MemoryHistoryStore } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { LocalLanes } from '../../src/index.js';
import { Orphans } from '../../src/writer/orphans.js';
import { ManualClock } from '../manual-clock.js';
import { POLICY, publishOf } from '../samples.js';
import { SILENT_EVENTS } from '../silent-events.js';

const AI = {
  max_accumulated_message_bytes: 1000,
  max_appends_per_message: 9,
  max_open_streaming_messages: 9,
};
const policy = { ...POLICY, versioned: true, ai: AI };

describe('a stream that nobody goes on with', () => {
  it('is ended once, by whoever looks, and not when somebody went on with it', async () => {
    const clock = new ManualClock();
    const store = new MemoryHistoryStore();
    const lanes = new LocalLanes(
      { store, clock, newStreamId: randomUUID, fanOut: async () => undefined, events: SILENT_EVENTS },
      { lanes: 4, nodeId: 'n', writerId: 'w', queueCapacity: 100 },
    );
    const commit = async (record: object) => {
      const records = [record as { pub_id: string }];
      const answer = await lanes.laneInside(0)?.submit({ records, budgetMs: 1000, chain: false });
      if (answer?.kind !== 'committed') throw new Error('nobody has committed it');
      return answer.results[0];
    };
    const extras = { ai: { transport: { status: 'streaming', 'run-id': 'r' } }, kept: 1 };
    const made = async (name: string) => {
      const publish = publishOf(name, '');
      const message = JSON.stringify({ event: 'ai-output', channel: name, data: 'a', extras });
      return (await commit({ ...publish, op: 'create', message, policy }))?.message_serial ?? '';
    };
    const [left, gone] = [await made('ai-left'), await made('ai-gone-on')];
    const ended: string[] = [];
    const looking = () =>
      new Orphans(
        {
          store,
          clock,
          laneHere: (lane) => lanes.laneInside(lane),
          orphaned: (_address, serial) => void ended.push(serial),
          failed: (error) => {
            throw error;
          },
        },
        { lanes: 4, idleMs: 1000, everyMs: 1000, policyOf: () => policy },
      );
    await clock.pass(1500);
    await commit({
      op: 'append',
      pub_id: randomUUID(),
      app_id: 'shop',
      channel: 'ai-gone-on',
      message_serial: gone,
      message_id: 'v',
      data: 'b',
      actor: { grant: 'any' },
      policy,
    });
    await Promise.all([looking().round(), looking().round()]);
    await looking().round();
    expect(ended).toEqual([left]);
    const address = { appId: 'shop', channel: 'ai-left', kind: 'messages' } as const;
    const [stream] = (await store.heads([address])).values();
    expect(stream).toMatchObject({ openStreams: 0, nextDeliverySerial: 3 });
    const [message] =
      stream === undefined
        ? []
        : await store.messages({ ...stream, nowMs: clock.now(), messageSerials: [left] });
    expect(message).toMatchObject({
      action: 'update',
      data: { text: '"a"' },
      clientId: null,
      description: 'AI stream orphan timeout',
      isOpen: false,
    });
    expect(JSON.parse(message?.extras ?? '{}')).toMatchObject({
      kept: 1,
      ai: { transport: { status: 'cancelled', 'run-id': 'r', 'error-code': 'orphan_timeout' } },
    });
    await lanes.close();
  });

  it('is told before who looks is over', async () => {
    const clock = new ManualClock();
    const message = { messageSerial: 's', versionSerial: 'v', extras: null };
    const address = { appId: 'shop', channel: 'ai-left', kind: 'messages' };
    const commits = new EventEmitter();
    const committed = once(commits, 'commit');
    const events: string[] = [];
    const orphans = new Orphans(
      {
        store: { idleStreams: async () => [{ address, message }] as never },
        clock,
        laneHere: () => ({
          submit: async () => {
            await committed;
            return { kind: 'committed', results: [{ status: 'applied' }] } as never;
          },
        }),
        orphaned: (_address, serial) => void events.push(serial),
        failed: (error) => {
          throw error;
        },
      },
      { lanes: 1, idleMs: 1000, everyMs: 1000, policyOf: () => policy },
    );
    orphans.begin();
    await clock.pass(1000);
    const over = orphans.stop().then(() => events.push('over'));
    commits.emit('commit');
    await over;
    expect(events).toEqual(['s', 'over']);
  });
});
