import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hasCode, MessageSender, PubsubClient, type SubscriptionPlan, STATUS } from '../src/index.js';

const BLOCK = 'adapter.google_pubsub';

const settingsOf = (env: Record<string, string>) =>
  configuration({ GOOGLE_PUBSUB_PROJECT_ID: 'carillon', ...env }).adapter.google_pubsub;

async function client() {
  const handle = await engine('google-pubsub');
  const { name } = await handle.isolate();
  const settings = settingsOf({ PUBSUB_EMULATOR_HOST: handle.url.replace('http://', '') });
  const opened = await PubsubClient.open({ settings, block: BLOCK });
  onTestFinished(() => opened.close());
  return { opened, name };
}

const plan = (name: string, more: Partial<SubscriptionPlan> = {}): SubscriptionPlan => ({
  id: `${name}-s`,
  topic: name,
  ackDeadlineSeconds: 10,
  retentionSeconds: 600,
  expiresAfterDays: 1,
  isOrdered: false,
  deadLetterTopic: null,
  ...more,
});

describe('PubsubClient', () => {
  it('creates and deletes topics and subscriptions twice without an error', async () => {
    const { opened, name } = await client();
    for (const _ of [1, 2]) await opened.createTopic(name);
    for (const _ of [1, 2]) await opened.createSubscription(plan(name));
    await opened.getTopic(name);
    for (const _ of [1, 2]) await opened.deleteSubscription(`${name}-s`);
    for (const _ of [1, 2]) await opened.deleteTopic(name);
    await expect(opened.getTopic(name)).rejects.toSatisfy((error) => hasCode(error, STATUS.notFound));
  });

  it('pulls a message again after its deadline was set to 0, and not after it was acknowledged', async () => {
    const { opened, name } = await client();
    await opened.createTopic(name);
    await opened.createTopic(`${name}-dlq`);
    await opened.createSubscription(plan(name, { deadLetterTopic: `${name}-dlq` }));
    expect(await opened.pull(`${name}-s`, 10, 50)).toEqual([]);
    await opened.publish(name, [{ text: '', attributes: { a: 'b' } }]);
    const [first] = await opened.pull(`${name}-s`, 10, 1000);
    expect(first).toMatchObject({ attributes: { a: 'b' }, attempt: 1 });
    expect(first?.data).toHaveLength(0);
    await opened.modifyAckDeadline(`${name}-s`, [first?.ackId ?? ''], 0);
    const [second] = await opened.pull(`${name}-s`, 10, 1000);
    expect(second).toMatchObject({ messageId: first?.messageId, attempt: 2 });
    await opened.acknowledge(`${name}-s`, [second?.ackId ?? '']);
    expect(await opened.pull(`${name}-s`, 10, 50)).toEqual([]);
  });

  it('streams messages of one ordering key in the order of publishing', async () => {
    const { opened, name } = await client();
    const sender = new MessageSender(opened, (topic) => opened.createTopic(topic));
    await opened.createTopic(name);
    await opened.createSubscription(plan(name, { isOrdered: true }));
    const received: string[] = [];
    const stream = opened.stream(`${name}-s`, {
      message: ({ data }) => received.push(data.toString()),
      ended: () => expect.unreachable(),
    });
    const texts = Array.from({ length: 200 }, (_, at) => String(at));
    await Promise.all(texts.map((text) => sender.send(name, { text, orderingKey: 'k' })));
    await vi.waitFor(() => expect(received).toEqual(texts), { timeout: 15_000 });
    await stream.close();
  });

  it('ends a stream whose subscription does not exist', async () => {
    const { opened, name } = await client();
    const ended = new Promise((resolve) => {
      opened.stream(`${name}-s`, { message: () => undefined, ended: resolve });
    });
    expect(hasCode(await ended, STATUS.notFound)).toBe(true);
  });

  it('creates the missing topic of a message', async () => {
    const { opened, name } = await client();
    await new MessageSender(opened, (topic) => opened.createTopic(topic)).send(name, { text: 'x' });
    await opened.getTopic(name);
  });

  it('waits for requests in flight when it closes, and rejects later ones', async () => {
    const { opened, name } = await client();
    const created = opened.createTopic(name);
    await Promise.all([opened.close(), created]);
    await expect(opened.publish(name, [{ text: 'late' }])).rejects.toThrow(`${BLOCK}: the client is closed`);
    await opened.close();
  });

  it('rejects within the timeout if nothing listens', async () => {
    const settings = settingsOf({
      PUBSUB_EMULATOR_HOST: '127.0.0.1:1',
      GOOGLE_PUBSUB_REQUEST_TIMEOUT_MS: '500',
    });
    const opened = await PubsubClient.open({ settings, block: BLOCK });
    onTestFinished(() => opened.close());
    await expect(opened.getTopic('x')).rejects.toMatchObject({ isTransient: true });
  });

  it('names the credentials when they cannot be read', async () => {
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '/nonexistent/key.json');
    vi.stubEnv('PUBSUB_EMULATOR_HOST', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(PubsubClient.open({ settings: settingsOf({}), block: BLOCK })).rejects.toThrow(
      /^adapter\.google_pubsub: no usable credentials \(.*nonexistent.*\); set GOOGLE_APPLICATION_CREDENTIALS/s,
    );
  });
});
