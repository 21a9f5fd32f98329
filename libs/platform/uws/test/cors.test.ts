import { rawHttp } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { type CorsOptions, EXPOSED_HEADERS } from '../src/index.js';
import { startBare } from './app.js';

const LIST: CorsOptions = {
  anyOrigin: false,
  matches: (origin) => origin === 'https://a.example',
  methods: ['GET', 'POST'],
  allowedHeaders: ['Authorization', 'Content-Type'],
  exposedHeaders: EXPOSED_HEADERS,
  credentials: true,
};
const ANY: CorsOptions = { ...LIST, anyOrigin: true, credentials: false };

async function ask(cors: CorsOptions | undefined, method: string, path: string, origin?: string) {
  const { adapter, server, port } = await startBare(cors === undefined ? {} : { cors });
  adapter.fastRoute('GET', '/hello', (_request, response) => response.send({}));
  adapter.gate = (request) => (request.rawPath === '/gated' ? { status: 503 } : null);
  adapter.socketRoute('/app/:key', { upgrade: () => ({ accept: null }), message: () => {} });
  const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
  const answer = await rawHttp(port, { method, path, headers });
  server.close();
  return answer;
}

describe('CORS', () => {
  it.each([
    ['GET', '/hello', 200],
    ['GET', '/nowhere', 404],
    ['POST', '/hello', 405],
    ['GET', '/gated', 503],
    ['GET', '/app/k', 426],
  ])('goes with every answer: %s %s', async (method, path, status) => {
    const { headers, ...answer } = await ask(LIST, method, path, 'https://a.example');
    expect(answer.status).toBe(status);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        'Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Idempotency-Replayed',
      vary: 'origin',
    });
  });

  it.each(['https://b.example', 'null', ''])('gives other origins no permission: %s', async (origin) => {
    const { status, headers } = await ask(LIST, 'GET', '/hello', origin);
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('allows every origin without credentials when told so', async () => {
    for (const origin of ['https://b.example', undefined]) {
      const { headers } = await ask({ ...ANY, credentials: true }, 'GET', '/hello', origin);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('answers preflights with the three lists', async () => {
    const lists = {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'Authorization, Content-Type',
      vary: 'origin, access-control-request-method, access-control-request-headers',
    };
    const any = await ask(ANY, 'OPTIONS', '/nowhere', 'https://b.example');
    expect(any).toMatchObject({ status: 200, body: '' });
    expect(any.headers).toMatchObject({ ...lists, 'access-control-allow-origin': '*' });
    const matching = await ask(LIST, 'OPTIONS', '/hello', 'https://a.example');
    expect(matching.headers).toMatchObject({ ...lists, 'access-control-allow-origin': 'https://a.example' });
    const other = await ask(LIST, 'OPTIONS', '/hello', 'https://b.example');
    expect(other.status).toBe(200);
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('adds nothing when it is not configured', async () => {
    const { headers } = await ask(undefined, 'GET', '/hello', 'https://a.example');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
