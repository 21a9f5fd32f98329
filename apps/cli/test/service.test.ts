import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand, type RunningCommand, startCommand } from './run-command.js';
import { APP, serve } from './running-service.js';

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the command with a running service', () => {
  let env: Record<string, string> = {};
  let server: RunningCommand | null = null;

  beforeAll(async () => {
    ({ server, env } = await serve());
  });
  afterAll(async () => {
    server?.child.kill('SIGTERM');
    expect((await server?.finished)?.code).toBe(0);
  });

  const run = (args: readonly string[], stdin?: string | Uint8Array) =>
    runCommand(args, { env, ...(stdin === undefined ? {} : { stdin }) });

  it('delivers published data as the exact text, and passes the answer on', async () => {
    const channel = `private-${randomUUID()}`;
    const subscriber = startCommand(['subscribe', channel, '--count', '3', '--json'], { env });
    await subscriber.says(/"subscribed"/);
    const published = await run(['publish', channel, 'ev', '{"a": 1.50}', '--json', '--message-id', 'm-1']);
    expect(JSON.parse(published.stdout)).toMatchObject({
      channels: { [channel]: { acknowledgement_id: 'm-1' } },
    });
    await run(['publish', channel, 'ev', '-'], 'with feed\n');
    await run(['publish', channel, 'ev', '-', '--base64'], Buffer.from([0, 255, 10]));
    const { code, stdout } = await subscriber.finished;
    expect(code).toBe(0);
    const events = lines(stdout).filter(({ type }) => type === 'event');
    expect(events.map(({ data }) => data)).toEqual([
      '{"a": 1.50}',
      'with feed\n',
      Buffer.from([0, 255, 10]).toString('base64'),
    ]);
    expect(lines(stdout).at(-1)).toEqual({ type: 'closed', events: 3, code: 1000 });
  });

  it('refuses data that is not UTF-8, and publishes nothing', async () => {
    const { code, stderr } = await run(['publish', 'a', 'ev', '-'], Buffer.from([0x61, 0x62, 0xff, 0xfe]));
    expect(code).toBe(64);
    expect(stderr).toContain('offset 2');
  });

  it('starts with stored events, then continues with live ones', async () => {
    const channel = `orders-${randomUUID()}`;
    for (const data of ['1', '2', '3', '4']) await run(['publish', channel, 'ev', data]);
    const subscriber = startCommand(['subscribe', channel, '--rewind', '3', '--count', '5', '--json'], {
      env,
    });
    await subscriber.says(/"data":"4"/);
    for (const data of ['5', '6']) await run(['publish', channel, 'ev', data]);
    const events = lines((await subscriber.finished).stdout).filter(({ type }) => type === 'event');
    expect(events.map(({ data, history }) => [data, history])).toEqual([
      ['2', true],
      ['3', true],
      ['4', true],
      ['5', undefined],
      ['6', undefined],
    ]);
    const history = lines(
      (await run(['history', channel, '--limit', '2', '--all', '--direction', 'oldest_first', '--json']))
        .stdout,
    );
    expect(history.map(({ serial }) => serial)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('publishes once when an idempotency key is repeated', async () => {
    const channel = `once-${randomUUID()}`;
    for (const _ of [1, 2]) await run(['publish', channel, 'ev', 'x', '--idempotency-key', channel]);
    expect(lines((await run(['history', channel, '--all', '--json'])).stdout)).toHaveLength(1);
  });

  it('sends a batch in order, and names the line that is invalid', async () => {
    const channel = `batch-${randomUUID()}`;
    const events = Array.from({ length: 100 }, (_, index) => ({ channel, name: 'ev', data: String(index) }));
    const ndjson = events.map((event) => JSON.stringify(event)).join('\n');
    const sent = await run(['trigger', '--batch', '-', '--json'], ndjson);
    expect(JSON.parse(sent.stdout)).toEqual({ published: 100, requests: 10 });
    const stored = lines(
      (await run(['history', channel, '--all', '--direction', 'oldest_first', '--json'])).stdout,
    );
    expect(stored.map(({ message }) => (message as { data: string }).data)).toEqual(
      events.map(({ data }) => data),
    );
    const broken = await run(
      ['trigger', '--batch', '-'],
      `${events
        .slice(0, 24)
        .map((event) => JSON.stringify(event))
        .join('\n')}\nnonsense\n${ndjson}`,
    );
    expect(broken.code).toBe(64);
    expect(broken.stderr).toContain('line 25');
    const array = await run(['trigger', '--batch', '-', '--json'], JSON.stringify(events.slice(0, 3)));
    expect(JSON.parse(array.stdout)).toEqual({ published: 3, requests: 1 });
  });

  it('exits 77 with the code of the service when credentials are wrong, and does not print the secret', async () => {
    const wrong = await run(['publish', 'a', 'ev', 'x', '--secret', 'wrong-secret', '--json', '--verbose']);
    expect([wrong.code, wrong.stdout]).toEqual([77, '']);
    expect(wrong.stderr).toContain('"code":"auth_failed","status":401');
    expect(wrong.stderr).not.toMatch(/wrong-secret|auth_signature=/);
    const refused = await run(['subscribe', 'private-x', '--secret', 'wrong-secret']);
    expect(refused.code).toBe(77);
    expect((await run(['subscribe', 'x', '--key', 'unknown'])).code).toBe(77);
  });

  it('exits 1 with code and status when the service refuses a publish', async () => {
    const { code, stderr, stdout } = await run(['publish', 'bad channel name', 'ev', 'x', '--json']);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(stderr)).toMatchObject({ status: 400, exit_code: 1 });
  });

  it('ends with 0 and closes when a stream is interrupted', async () => {
    const subscriber = startCommand(['subscribe', 'presence-room', '--user-id', 'ada', '--json'], { env });
    await subscriber.says(/"subscribed"/);
    const members = await run(['presence', 'presence-room', '--json']);
    expect(JSON.parse(members.stdout)).toEqual({ users: [{ id: 'ada' }] });
    const channels = await run(['channels', '--prefix', 'presence-', '--info', 'user_count', '--json']);
    expect(JSON.parse(channels.stdout)).toEqual({ channels: { 'presence-room': { user_count: 1 } } });
    subscriber.child.kill('SIGINT');
    const { code, stdout } = await subscriber.finished;
    expect(code).toBe(0);
    expect(lines(stdout).at(-1)).toMatchObject({ type: 'closed' });
  });

  it('ends with 0 and without an error when its output is closed', async () => {
    const channel = `head-${randomUUID()}`;
    for (const data of ['1', '2', '3']) await run(['publish', channel, 'ev', data]);
    const reader = startCommand(['subscribe', channel, '--rewind', '3', '--json'], { env });
    await reader.says(/"subscribed"/);
    reader.child.stdout?.destroy();
    await run(['publish', channel, 'ev', '4']);
    expect(await reader.finished).toMatchObject({ code: 0, stderr: '' });
  });

  it('measures deliveries without a loss', async () => {
    const { code, stdout } = await run([
      'bench',
      '--connections',
      '10',
      '--channels',
      '2',
      '--rate',
      '50',
      '--duration',
      '1s',
      '--json',
    ]);
    const figures = JSON.parse(stdout) as { published: number; expected: number; delivered: number };
    expect(code).toBe(0);
    expect(figures).toMatchObject({ connections: 10, lost: 0, duplicated: 0 });
    expect(figures.delivered).toBe(figures.expected);
    expect(figures.expected).toBe(figures.published * 5);
  });

  it('names the setting when the management API is switched off', async () => {
    const { code, stderr } = await run(['apps', 'list', '--token', 'cmt_x']);
    expect(code).toBe(1);
    expect(stderr).toContain('[management] enabled');
  });

  it('disconnects a user for good, and with --reconnect lets it return', async () => {
    expect((await run(['disconnect', '--user', 'nobody', '--yes', '--json'])).stdout).toBe('{"ok":true}\n');
    expect((await run(['disconnect', '--user', 'nobody', '--reconnect', '--yes'])).code).toBe(0);
  });
});

describe('webhooks test', () => {
  it.each([
    [200, 0],
    [500, 1],
    [302, 1],
  ])('exits by the answer %i of the receiver, which can verify the signature', async (status, expected) => {
    let received: { readonly request: IncomingMessage; readonly body: string } | null = null;
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        received = { request, body };
        response.writeHead(status, { Location: '/elsewhere' }).end('answer');
      });
    });
    await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void receiver.close());
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const env = { CARILLON_APP_ID: APP.id, CARILLON_APP_KEY: APP.key, CARILLON_APP_SECRET: APP.secret };
    const { code, stdout } = await runCommand(['webhooks', 'test', url, '--json'], { env });
    expect(code).toBe(expected);
    expect(JSON.parse(stdout)).toMatchObject({ url, ok: status === 200, status, body: 'answer' });
    const { CarillonServer } = await import('@carillon/server');
    const server = new CarillonServer({
      url: 'http://127.0.0.1:1',
      appId: APP.id,
      key: APP.key,
      secret: APP.secret,
    });
    const { request, body } = received as unknown as { request: IncomingMessage; body: string };
    const webhook = await server.verifyWebhook({ headers: request.headers, rawBody: body });
    expect(webhook.events).toMatchObject([{ name: 'channel_occupied', channel: 'service-test' }]);
  });
});

describe('serve', () => {
  it('exits 64 for wrong usage, and 78 for an invalid configuration', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'bad.toml'), 'port = "x"\n');
    expect((await runCommand(['serve', '--workers', 'many'], { cwd: folder })).code).toBe(64);
    expect((await runCommand(['serve', '--config', 'bad.toml'], { cwd: folder })).code).toBe(78);
  });
});
