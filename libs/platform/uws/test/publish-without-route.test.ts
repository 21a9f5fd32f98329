import { rawHttp } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { UwsServer } from '../src/index.js';
import { startBare } from './app.js';

describe('a server without socket routes', () => {
  it('publishes to nobody and lives', async () => {
    const { server, port, adapter } = await startBare();
    adapter.fastRoute('GET', '/', (_request, response) => response.send({}));
    expect(server.publish('topic', 'x')).toBe(false);
    expect(server.subscriberCount('topic')).toBe(0);
    expect((await rawHttp(port)).status).toBe(200);
    server.close();
    expect(server.publish('topic', 'x')).toBe(false);
  });

  it('publishes before it listens', () => {
    const server = new UwsServer();
    expect(server.publish('topic', 'x')).toBe(false);
    server.close();
  });
});
