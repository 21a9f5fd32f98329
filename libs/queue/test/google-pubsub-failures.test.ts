import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeJob } from '../src/broker/envelope.js';
import { pubsubQueueNames } from '../src/drivers/google-pubsub/names.js';
import { restOf } from '../src/drivers/google-pubsub/pubsub-store.js';
import { openQueue, QueueUnavailable } from '../src/index.js';
import { brokerFailures } from './broker-failures.js';
import { pubsubScene } from './google-pubsub-scene.js';
import { quick, recordingLog } from './scene.js';

// The emulator loses topics and messages when it is killed.
brokerFailures('google-pubsub', pubsubScene, { keepsJobs: false });

const open = (env: Record<string, string>) =>
  openQueue(
    'google-pubsub',
    { reliability: quick(), log: recordingLog().log },
    configuration({ QUEUE_DRIVER: 'google-pubsub', GOOGLE_PUBSUB_PROJECT_ID: 'carillon', ...env }),
  );

describe('google-pubsub', () => {
  it('names no two queues, nor what belongs to them, alike', () => {
    const queues = [
      'a',
      'a-dlq',
      'a-workers',
      'a-dlq-letters',
      'a.b',
      'a b',
      'a%20b',
      'A',
      'é',
      'x'.repeat(500),
    ];
    const names = queues.flatMap((queue) => Object.values(pubsubQueueNames('p:')(queue)));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$/);
    expect(pubsubQueueNames('service-queue')('push.publish.v1')).toMatchObject({
      topic: 'service-queue-queue-push.publish.v1',
      deadTopic: 'service-queue-queue-push.publish.v1-dlq',
    });
  });

  it('does not start with a prefix that no topic can begin with', async () => {
    await expect(open({ GOOGLE_PUBSUB_PREFIX: '9lives' })).rejects.toThrow(
      'queue.google_pubsub.prefix: must begin with a letter (got "9lives")',
    );
  });

  it('names the credentials at the start when they cannot be read', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nonexistent/key.json');
    const queue = await open({});
    onTestFinished(() => queue.close());
    await expect(queue.connect()).rejects.toThrow(/^queue\.google_pubsub: no usable credentials/);
  });

  it('rejects at the start when nothing listens', async () => {
    const env = { PUBSUB_EMULATOR_HOST: '127.0.0.1:1', GOOGLE_PUBSUB_REQUEST_TIMEOUT_MS: '500' };
    const queue = await open(env);
    onTestFinished(() => queue.close());
    await expect(queue.connect()).rejects.toBeInstanceOf(QueueUnavailable);
  });

  it('keeps queues of two installations on one project apart', async () => {
    const { url } = await engine('google-pubsub');
    const env = { PUBSUB_EMULATOR_HOST: url.replace('http://', '') };
    const prefixes = ['one', 'two'].map((name) => `${name}-${Date.now()}`);
    const received = await Promise.all(
      prefixes.map(async (prefix) => {
        const queue = await open({ ...env, GOOGLE_PUBSUB_PREFIX: prefix });
        onTestFinished(() => queue.close());
        await queue.connect();
        const jobs: string[] = [];
        queue.process('q', async ({ data }) => void jobs.push(data));
        await queue.enqueue('q', prefix);
        return jobs;
      }),
    );
    await vi.waitFor(() => expect(received).toEqual(prefixes.map((prefix) => [prefix])), { timeout: 10_000 });
  });

  it('continues a wait that is longer than a message can be hidden as a copy', () => {
    const envelope = { id: 'a', enqueuedAtMs: 1, attempts: 2, waitMs: 1_000_000, owner: null, data: 'x' };
    const delivered = (count: number, ageMs: number) => ({
      token: 't',
      text: encodeJob(envelope),
      count,
      writtenAtMs: Date.now() - ageMs,
    });
    expect(restOf(delivered(1, 0))).toBeNull();
    expect(restOf(delivered(2, 999_500))).toBeNull();
    const rest = restOf(delivered(2, 600_000));
    expect(rest).toMatchObject({ id: 'a', attempts: 2 });
    expect(rest?.waitMs).toBeLessThanOrEqual(400_000);
    expect(rest?.waitMs).toBeGreaterThan(390_000);
  });
});
