import type { CommitRecord, CommitResult } from '@carillon/contracts';
import { Logger, Metrics } from '@carillon/runtime';
import { expect, it } from 'vitest';
import { LivingMetrics } from '../../src/module/living-metrics.js';

const AI = { ai: {} };
const status = (value: string): string => JSON.stringify({ ai: { transport: { status: value } } });

async function scene() {
  const metrics = new Metrics({ prefix: '', port: 1, log: new Logger('test', 'off', () => {}) });
  let nowMs = 0;
  const living = new LivingMetrics(metrics, () => nowMs);
  const answered = (record: object, result: Partial<CommitResult> = {}): void =>
    living.answered({ app_id: 'shop', channel: 'ai-a', policy: AI, ...record } as unknown as CommitRecord, {
      pub_id: 'p',
      status: 'applied',
      ...result,
    });
  const values = async (name: string) =>
    (await metrics.samples())
      .filter((one) => one.name === name)
      .map(({ labels, value }) => ({ ...labels, value }));
  return { answered, values, pass: (ms: number) => void (nowMs += ms) };
}

it('streams count from their beginning to their end, and what is appended to them', async () => {
  const { answered, values, pass } = await scene();
  answered({ op: 'create', message: `{"extras":${status('streaming')}}` }, { message_serial: 'm' });
  answered({ op: 'append', message_serial: 'm', data: 'né' });
  answered({ op: 'append', message_serial: 'm', data: 'x' }, { status: 'duplicate' });
  expect(await values('ai_active_streams')).toMatchObject([{ app_id: 'shop', value: 1 }]);
  pass(2500);
  answered({ op: 'append', message_serial: 'm', data: '', extras: status('complete') });
  expect(await values('active_streams')).toMatchObject([{ value: 0 }]);
  expect(await values('ai_stream_bytes_total')).toMatchObject([{ value: 3 }]);
  expect(await values('appends_received_total')).toMatchObject([{ value: 2 }]);
  expect(await values('ai_stream_duration_seconds_sum')).toMatchObject([{ value: 2.5 }]);
  expect(await values('versioned_message_mutations_total')).toMatchObject([
    { action: 'create', result: 'applied', value: 1 },
    { action: 'append', result: 'applied', value: 2 },
    { action: 'append', result: 'duplicate', value: 1 },
  ]);
});

it('annotations count by what adds them up, whatever they are called', async () => {
  const { answered, values } = await scene();
  answered({ op: 'annotate', type: 'reactions:distinct.v1' });
  answered({ op: 'annotate', type: 'votes:distinct.v1' });
  answered({ op: 'annotate', type: 'votes:distinct.v1' }, { status: 'rejected' });
  answered({ op: 'unannotate' }, { extra: { annotation_type: 'votes:distinct.v1' } });
  expect(await values('annotations_published_total')).toMatchObject([{ type: 'distinct', value: 2 }]);
  expect(await values('annotations_deleted_total')).toMatchObject([{ type: 'distinct', value: 1 }]);
});
