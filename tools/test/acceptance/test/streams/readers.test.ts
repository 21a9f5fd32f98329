import { spawn } from 'node:child_process';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Carillon } from '@carillon/client';
import { engine, whyMissing } from '@carillon/test-backends';
import { WebSocket } from 'ws';
import { expect, it, onTestFinished } from 'vitest';
import { Page } from '../clients/page.js';
import { EventReader, textsOf } from '../harness/event-reader.js';
import { eventually } from '../harness/eventually.js';
import { onServer } from '../harness/every-app.js';
import { tokenFor } from '../harness/signatures.js';
import { shop, STREAMING, Streaming } from './place.js';

/** A proxy that passes requests on and refuses every upgrade. */
function refusingUpgrades(port: () => number): Server {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const upstream = request({ host: '127.0.0.1', port: port(), method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  proxy.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
  );
  return proxy;
}

/** Runs in the page: keeps the messages of an event source, and how often it opened. */
const listens = (url: string): Promise<void> =>
  new Promise((subscribed) => {
    const seen: string[] = [];
    const source = new EventSource(url);
    Object.assign(globalThis, { seen, source });
    source.addEventListener('subscription_succeeded', () => subscribed());
    source.addEventListener('message', ({ data }) => {
      seen.push(String((JSON.parse(String(data)) as { data: unknown }).data));
    });
  });

/** Runs in the page. */
const heard = (): { readonly seen: string[]; readonly state: number } => {
  const { seen, source } = globalThis as unknown as { seen: string[]; source: EventSource };
  return { seen, state: source.readyState };
};

onServer('readers of event streams', STREAMING, (node) => {
  const streams = new Streaming(node);

  it('get the same messages with curl and with fetch as with any other', async () => {
    const url = `http://127.0.0.1:${node.port}/app/${shop.key}/events?channels=readers`;
    const curl = spawn('curl', ['-sN', url]);
    onTestFinished(() => void curl.kill());
    let text = '';
    curl.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const { body } = await fetch(url, { signal: abort.signal });
    let fetched = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
        fetched += decoder.decode(chunk, { stream: true });
    })().catch(() => undefined);
    const { stream } = await streams.subscribed('readers');
    await eventually(() => {
      for (const each of [text, fetched]) expect(each).toContain('subscription_succeeded');
    });
    await streams.publish('readers', 'a', 'ü☃');
    const blocks = await stream.messages(2);
    expect(textsOf(blocks)).toEqual(['a', 'ü☃']);
    await eventually(() => {
      for (const each of [text, fetched])
        for (const { id, data } of blocks) expect(each).toContain(`id: ${id}\ndata: ${data}\n\n`);
    });
    abort.abort();
    await reading;
  });

  it.runIf(whyMissing('chromium') === null)(
    'are complete in Chromium after the service has sent it away, and closed for good when told so',
    async () => {
      const site = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>reader</title>');
      });
      await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
      const { port } = site.address() as AddressInfo;
      const page = await Page.open((await engine('chromium')).url, `http://127.0.0.1:${port}/`);
      onTestFinished(async () => {
        await page.close();
        site.closeAllConnections();
        site.close();
      });
      const token = tokenFor(shop, 'browser', { '*': ['subscribe'] });
      const url = `http://127.0.0.1:${node.port}/app/${shop.key}/events?channels=page&token=${token}`;
      await page.run(listens, url);
      await streams.publish('page', 'a');
      await eventually(async () => expect((await page.run(heard, null)).seen).toEqual(['a']));
      await node.api().user('browser', 'force_reconnect');
      await streams.publish('page', 'b', 'c');
      await eventually(async () =>
        expect(await page.run(heard, null)).toEqual({ seen: ['a', 'b', 'c'], state: 1 }),
      );
      await node.api().user('browser', 'terminate_connections');
      await eventually(async () => expect((await page.run(heard, null)).state).toBe(2));
    },
    120_000,
  );

  it('are complete with the own client behind a proxy that refuses upgrades, also after a cut', async () => {
    const proxy = refusingUpgrades(() => node.port);
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const { port } = proxy.address() as AddressInfo;
    const client = new Carillon({ key: shop.key, url: `http://127.0.0.1:${port}`, WebSocket });
    onTestFinished(() => {
      client.disconnect();
      proxy.closeAllConnections();
      proxy.close();
    });
    const seen: unknown[] = [];
    const channel = client.subscribe('own');
    channel.bind('news', (text) => seen.push(text));
    client.connect();
    await channel.whenSubscribed();
    expect(client.transport).toBe('http-stream');
    await streams.publish('own', 'a');
    await eventually(() => expect(seen).toEqual(['a']));
    proxy.closeAllConnections();
    await streams.publish('own', 'b', 'c');
    await eventually(() => expect(seen).toEqual(['a', 'b', 'c']));
    expect(client.transport).toBe('http-stream');
  });

  it('that stall end within bounded memory, and resume or are told', async () => {
    const { stream, id } = await streams.subscribed('stalled');
    const other = await streams.subscribed('stalled');
    stream.pause();
    const text = 'x'.repeat(60_000);
    const count = 200;
    const reading = other.stream.messages(count).catch((error: unknown) => error);
    for (let n = 0; n < count; n += 10)
      await Promise.all(Array.from({ length: 10 }, () => streams.publish('stalled', text)));
    expect(await reading).toHaveLength(count);
    await eventually(async () =>
      expect((await node.metrics()).value('ws_slow_consumer_disconnects_total')).toBe(1),
    );
    const back = await EventReader.open({
      port: node.port,
      path: `/app/${shop.key}/events?channels=stalled`,
      headers: { 'last-event-id': id },
    });
    expect((await back.until('resume_failed')).event).toBe('resume_failed');
  }, 120_000);
});
