import { configure } from '@carillon/config';
import type { HttpResponse, UwsHttpAdapter } from '@carillon/uws';
import { expect, it } from 'vitest';
import { generatedPages } from '../src/generated-pages.js';
import type { CompatApiParts } from '../src/handlers.js';
import { mountCompatApi } from '../src/mount.js';

type Answer = (request: unknown, response: HttpResponse) => void;

/** Returns the mounted routes by method and path of a process that lacks the null parts. */
function mounted(
  env: Record<string, string>,
  lacks: Partial<CompatApiParts> = {},
): ReadonlyMap<string, Answer> {
  const outcome = configure({
    process: 'server',
    argv: [],
    env: { RUST_LOG: 'off', SERVICE_COMPAT_ENABLED: 'true', ...env },
    cwd: '/nowhere',
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const routes = new Map<string, Answer>();
  const adapter = {
    fastRoute: (method: string, path: string, answer: Answer) => routes.set(`${method} ${path}`, answer),
    before: (method: string, path: string, answer: Answer) => routes.set(`${method} ${path}`, answer),
  };
  // Nothing is asked of them before a request comes.
  const parts = { core: {}, push: {}, presence: {}, config: outcome.config, ...lacks };
  mountCompatApi(adapter as unknown as UwsHttpAdapter, parts as unknown as CompatApiParts);
  return routes;
}

const DOCUMENT = 'GET /openapi-ably.json';

/** Returns the routes in the process's document. */
function described(routes: ReadonlyMap<string, Answer>): string[] {
  let text = '';
  const response = { end: (body: string) => void (text = body) };
  routes.get(DOCUMENT)?.({}, response as unknown as HttpResponse);
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
}

it('describes the routes that are there, and connections where there are sockets', () => {
  const whole = mounted({ ENVIRONMENT: 'development', HTTP_API_USAGE_ENABLED: 'true' });
  const served = [...whole.keys()].filter((one) => one !== DOCUMENT);
  expect(described(whole).sort()).toEqual([...served, 'GET /'].sort());
  const pages = generatedPages().map(({ path }) => path);
  expect(pages).toEqual(['docs/reference/openapi-ably.json']);
  const less = mounted(
    { ENVIRONMENT: 'development', HTTP_API_USAGE_ENABLED: 'false' },
    { presence: null, push: null },
  );
  expect(described(less).sort()).toEqual([...less.keys()].filter((one) => one !== DOCUMENT).sort());
  expect(
    described(less).filter((one) => /push|operator|presence$|^GET \/channels\/:channel$/.test(one)),
  ).toEqual([]);
});

it('tells nobody of its routes in production', () => {
  expect(mounted({ ENVIRONMENT: 'production' }).has(DOCUMENT)).toBe(false);
});
