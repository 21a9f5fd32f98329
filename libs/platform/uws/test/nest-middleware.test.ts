import { ServiceError } from '@carillon/errors';
import { rawHttp } from '@carillon/testing';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Scope,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpRequest, HttpResponse, type Next, UwsModule } from '../src/index.js';
import { startApp, type TestApp } from './app.js';

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  constructor(@Inject(REQUEST) readonly request: HttpRequest) {}
}

@Controller('scoped')
class Scoped {
  constructor(@Inject(PerRequest) private readonly own: PerRequest) {}

  @Get(':id')
  id(): object {
    return { id: this.own.request.params['id'] };
  }
}

@Controller()
class Plain {
  @Get('hello')
  hello(): object {
    return {};
  }

  @Get('text')
  text(): string {
    return 'plain';
  }

  @Get('items/:id/parts/:part')
  parts(): object {
    return {};
  }
}

const seen: string[] = [];

const note = (name: string) => (request: HttpRequest, response: HttpResponse, next: Next) => {
  seen.push(`${name} ${request.rawPath}`);
  response.setHeader('x-middleware', name);
  next();
};

@Module({ imports: [UwsModule], controllers: [Plain, Scoped], providers: [PerRequest] })
class Root implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(note('hello')).forRoutes('hello');
    consumer.apply(note('scoped')).forRoutes('scoped/*path');
    consumer.apply(note('everywhere')).exclude('text').forRoutes('{*path}');
    consumer.apply(note('items')).forRoutes('items/:id/parts/:part');
  }
}

describe('middleware and request scope', () => {
  let started: TestApp;
  const get = (path: string) => rawHttp(started.port, { path });
  const json = async (path: string) => JSON.parse((await get(path)).body) as unknown;

  beforeAll(async () => {
    started = await startApp({
      root: Root,
      prepare: (app) => {
        app.use((request: HttpRequest, _response: HttpResponse, next: Next) => {
          if (request.query['stop'] === 'error')
            return next(new ServiceError('forbidden', { text: 'stopped' }));
          if (request.query['stop'] === 'throw') throw new Error('in middleware');
          return next();
        });
      },
    });
  });
  afterAll(() => started.close());

  it('makes providers per request', async () => {
    expect(await json('/scoped/1')).toEqual({ id: '1' });
    expect(await json('/scoped/2')).toEqual({ id: '2' });
    expect(seen).toContain('scoped /scoped/1');
  });

  it('runs middleware everywhere but where it is excluded', async () => {
    seen.length = 0;
    await get('/hello');
    await get('/text');
    expect(seen).toEqual(['hello /hello', 'everywhere /hello']);
  });

  it('runs middleware on its routes only, and hands its errors on', async () => {
    await get('/hello');
    expect((await get('/items/1/parts/2')).headers['x-middleware']).toBe('items');
    expect((await get('/text')).headers['x-middleware']).toBeUndefined();
    expect(seen).toContain('hello /hello');
    expect(await json('/text?stop=error')).toEqual({ error: 'stopped', code: 'forbidden', status: 403 });
    expect((await get('/text?stop=throw')).status).toBe(500);
  });
});
