import 'reflect-metadata';
import { AppRegistryModule } from '@carillon/app-registry';
import { CacheModule } from '@carillon/cache';
import { configure, type Config } from '@carillon/config';
import { BrokerModule } from '@carillon/broker';
import { OperationsModule } from '@carillon/api-operations';
import { PresenceModule } from '@carillon/presence';
import { PublishingModule } from '@carillon/history-publish';
import { RateLimitModule } from '@carillon/rate-limit';
import { createParts, RuntimeModule } from '@carillon/runtime';
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { UwsHttpAdapter, UwsModule, UwsServer } from '@carillon/uws';
import { NO_WEBHOOKS, WEBHOOK_EVENTS } from '@carillon/webhooks';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpApiModule } from '../src/index.js';
import { send } from './scene.js';

const ENV = {
  RUST_LOG: 'off',
  SERVICE_DEFAULT_APP_ID: 'shop',
  SERVICE_DEFAULT_APP_KEY: 'shop-key',
  SERVICE_DEFAULT_APP_SECRET: 'shop-secret',
};
const KEY = prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' });

@Global()
@Module({ providers: [{ provide: WEBHOOK_EVENTS, useValue: NO_WEBHOOKS }], exports: [WEBHOOK_EVENTS] })
class NoWebhooks {}

/** A process with the API in it, as an app composes it. */
async function serve(role: Config['server_role'], env: Record<string, string> = {}) {
  const outcome = configure({ process: 'server', argv: [], env: { ...ENV, ...env }, cwd: '/nowhere' });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  const parts = createParts(outcome.config);
  const live = role === 'api' ? [] : [PresenceModule];
  @Module({
    imports: [
      RuntimeModule.forProcess(parts),
      UwsModule,
      AppRegistryModule,
      BrokerModule,
      CacheModule,
      RateLimitModule,
      PublishingModule,
      ...live,
      NoWebhooks,
      OperationsModule.of({ ...outcome.config, server_role: role }),
      HttpApiModule.forMainListener({ ...outcome.config, server_role: role }),
    ],
  })
  class Root {}
  const server = new UwsServer();
  const app = await NestFactory.create(Root, new UwsHttpAdapter(server), { logger: false });
  onTestFinished(() => app.close());
  await app.init();
  for (const { connect } of parts.startup.dependencies) await connect(AbortSignal.timeout(5000));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { port: address.kind === 'tcp' ? address.port : 0 };
}

function signed(method: string, path: string, body = ''): [string, string, string | undefined] {
  const rawPath = `/apps/shop${path}`;
  const query = signRequest({ method, rawPath, body }, KEY, Date.now() / 1000);
  return [method, `${rawPath}?${query}`, body === '' ? undefined : body];
}

describe('the module', () => {
  it('serves the whole API over the drivers of the process', async () => {
    const scene = await serve('default', { RATE_LIMITER_ENABLED: 'true' });
    const event = '{"name":"e","channel":"cache-a","data":"x","idempotency_key":"k"}';
    const published = await send(scene, ...signed('POST', '/events', event));
    expect(published).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(published.headers.get('x-ratelimit-limit')).toBe('100');
    const replayed = await send(scene, ...signed('POST', '/events', event));
    expect(replayed.headers.get('x-idempotency-replayed')).toBe('true');
    expect(await send(scene, ...signed('GET', '/channels'))).toMatchObject({ status: 200 });
    expect(await send(scene, ...signed('GET', '/channels/presence-a/users'))).toMatchObject({ status: 200 });
  });

  it('in role api needs neither presence nor sockets', async () => {
    const scene = await serve('api');
    const event = '{"name":"e","channel":"a"}';
    expect(await send(scene, ...signed('POST', '/events', event))).toMatchObject({ status: 200 });
    expect(await send(scene, ...signed('GET', '/channels'))).toMatchObject({ status: 404 });
  });
});
