import { HANDSHAKE, rawHttp } from '@carillon/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PathPrefix } from '../src/http/path-prefix.js';
import { startBare } from './app.js';

describe('what stands in front of the routes of apps', () => {
  it.each(['/rt/v1', '/rt/v1/'])('is left out where routes are found: %s', (text) => {
    const prefix = new PathPrefix(text);
    const paths = [
      '/rt/v1/apps/a',
      '/rt/v1/app/k',
      '/apps/a',
      '/app',
      '/rt/v1/live',
      '/live',
      '/apples',
      '/rt/v1',
    ];
    expect(paths.map((path) => prefix.routed(path))).toEqual([
      '/apps/a',
      '/app/k',
      null,
      null,
      '/rt/v1/live',
      '/live',
      '/apples',
      '/rt/v1',
    ]);
    expect(['/apps/:id', '/live'].map((route) => prefix.placed(route))).toEqual(['/rt/v1/apps/:id', '/live']);
  });

  it.each([undefined, '/'])('is nothing by itself: %s', (text) => {
    const prefix = new PathPrefix(text);
    for (const path of ['/apps/a', '/live', '/', '//apps/a'])
      expect([prefix.routed(path), prefix.placed(path)]).toEqual([path, path]);
  });

  it('is there for requests and sockets of apps, and for nothing else', async () => {
    const { adapter, server, port } = await startBare({ pathPrefix: '/rt' });
    onTestFinished(() => server.close());
    adapter.fastRoute('GET', '/apps/:id/x', ({ rawPath, routedPath, route, params }, response) =>
      response.send([rawPath, routedPath, route, params['id']]),
    );
    adapter.fastRoute('GET', '/live', (_request, response) => response.send('OK'));
    adapter.socketRoute('/app/:key', { upgrade: () => ({ accept: null }), message: () => undefined });
    const found = await rawHttp(port, { path: '/rt/apps/7/x/' });
    expect(JSON.parse(found.body)).toEqual(['/rt/apps/7/x/', '/apps/7/x', '/apps/:id/x', '7']);
    const status = async (path: string, headers = {}) => (await rawHttp(port, { path, headers })).status;
    const plain = ['/live', '/rt/live', '/apps/7/x', '/app/k', '/rt/app/k', '/rt/apps/7/y'];
    expect(await Promise.all(plain.map((path) => status(path)))).toEqual([200, 404, 404, 404, 426, 404]);
    expect(await status('/rt/app/k', HANDSHAKE)).toBe(101);
    expect(await status('/app/k', HANDSHAKE)).toBe(404);
  });
});
