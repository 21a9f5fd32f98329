import {
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  Header,
  Headers,
  HttpCode,
  HttpException,
  Injectable,
  Ip,
  type NestInterceptor,
  Param,
  type PipeTransform,
  type ArgumentMetadata,
  Post,
  Query,
  Redirect,
  Req,
  Res,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { ServiceError } from '@carillon/errors';
import { rawHttp } from '@carillon/testing';
import { map, type Observable } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpRequest, HttpResponse } from '../src/index.js';
import { startApp, type TestApp } from './app.js';

class Draft {
  title = '';
}

@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    if (request.query['key'] === 'none') throw new ServiceError('auth_failed', { text: 'key is unknown' });
    return request.query['key'] === 'good';
  }
}

@Injectable()
class TypeNamePipe implements PipeTransform {
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    return { value, type: metadata.type, metatype: metadata.metatype?.name, data: metadata.data };
  }
}

@Injectable()
class WrapInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((value: unknown) => ({ wrapped: value })));
  }
}

const RawPath = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<HttpRequest>().rawPath,
);

@Controller()
class Everything {
  @Get('hello')
  hello(): object {
    return { hello: 'world' };
  }

  @Get('text')
  text(): string {
    return 'plain';
  }

  @Get('later')
  async later(): Promise<object> {
    await new Promise((done) => setTimeout(done, 5));
    return { later: true };
  }

  @Get('nothing')
  @HttpCode(204)
  nothing(): void {}

  @Get('header')
  @Header('X-Extra', 'yes')
  header(@Headers('x-sent') sent: string, @Headers() all: Record<string, string>): object {
    return { sent, host: all['host'] };
  }

  @Get('redirect')
  @Redirect('/hello', 302)
  redirect(): void {}

  @Get('ip')
  ip(@Ip() ip: string): object {
    return { ip };
  }

  @Get('response')
  response(@Res() response: HttpResponse): void {
    response.statusCode = 203;
    response.send({ own: true });
  }

  @Get('items/:id/parts/:part')
  parts(@Param('id') id: string, @Param() all: object, @RawPath() path: string): object {
    return { id, all, path };
  }

  @Get('query')
  query(@Query('a') a: string, @Query() all: object): object {
    return { a, all };
  }

  @Post('body')
  body(@Body() body: unknown, @Req() request: HttpRequest): object {
    return { body, raw: request.rawBody?.toString('hex') };
  }

  @Post('piped/:id')
  @UsePipes(TypeNamePipe)
  piped(@Body() draft: Draft, @Param('id') id: number): object {
    return { draft, id };
  }

  @Get('guarded')
  @UseGuards(KeyGuard)
  guarded(): object {
    return { in: true };
  }

  @Get('wrapped')
  @UseInterceptors(WrapInterceptor)
  wrapped(): object {
    return { inner: 1 };
  }

  @Get('fail/:how')
  fail(@Param('how') how: string): object {
    if (how === 'service') throw new ServiceError('conflict', { text: 'already there' });
    if (how === 'nest') throw new BadRequestException(['a is missing', 'b is missing']);
    if (how === 'teapot') throw new HttpException('short and stout', 418);
    if (how === 'circular') {
      const loop: Record<string, unknown> = {};
      loop['self'] = loop;
      return loop;
    }
    throw new Error('password=secret');
  }

  @Delete('body')
  remove(@Body() body: unknown): object {
    return { body: body ?? 'ignored' };
  }

  @Get('files/*path')
  files(@Param('path') path: string): object {
    return { path };
  }
}

describe('a Nest application', () => {
  let started: TestApp;
  const faults: string[] = [];
  const get = (path: string, headers = {}) => rawHttp(started.port, { path, headers });
  const json = async (path: string) => JSON.parse((await get(path)).body) as unknown;

  beforeAll(async () => {
    started = await startApp({
      metadata: { controllers: [Everything] },
      adapter: { onFault: (error, where) => faults.push(`${where}: ${String(error.cause)}`) },
    });
  });
  afterAll(() => started.close());

  it('answers objects as JSON and text as text', async () => {
    const answer = await get('/hello');
    expect(answer).toMatchObject({ status: 200, body: '{"hello":"world"}' });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(await get('/text')).toMatchObject({ status: 200, body: 'plain' });
    expect(await json('/later')).toEqual({ later: true });
  });

  it('sends status codes, headers and redirects as decorated', async () => {
    expect(await get('/nothing')).toMatchObject({ status: 204, body: '' });
    const answer = await get('/header', { 'X-Sent': 'abc' });
    expect(answer.headers['x-extra']).toBe('yes');
    expect(JSON.parse(answer.body)).toEqual({ sent: 'abc', host: 'test' });
    const redirect = await get('/redirect');
    expect(redirect).toMatchObject({ status: 302, headers: { location: '/hello' } });
    expect(await get('/response')).toMatchObject({ status: 203, body: '{"own":true}' });
    expect((await rawHttp(started.port, { method: 'POST', path: '/body', body: '{}' })).status).toBe(201);
  });

  it('gives the peer address', async () => {
    expect(await json('/ip')).toEqual({ ip: '127.0.0.1' });
  });

  it('decodes path parameters once and leaves the raw path alone', async () => {
    expect(await json('/items/a%2525%2F/parts/%23%40%C3%A9')).toEqual({
      id: 'a%25/',
      all: { id: 'a%25/', part: '#@é' },
      path: '/items/a%2525%2F/parts/%23%40%C3%A9',
    });
    expect(await json('/files/a/b%20c')).toEqual({ path: 'a/b c' });
  });

  it.each(['/items/%ff/parts/1', '/items/%zz/parts/1', '/items/\xff/parts/1'])(
    'refuses bytes in a path that are not UTF-8: %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_input', status: 400 });
    },
  );

  it('parses the query with the last of repeated names', async () => {
    expect(await json('/query?a=1&b=x+y&a=2')).toEqual({ a: '2', all: { a: '2', b: 'x y' } });
  });

  it('parses JSON whatever the content type, and keeps the raw bytes', async () => {
    const body = Buffer.from('{"name":"é"}');
    const sent = { method: 'POST', path: '/body', body, headers: { 'Content-Type': 'text/html' } };
    const answer = await rawHttp(started.port, sent);
    expect(JSON.parse(answer.body)).toEqual({ body: { name: 'é' }, raw: body.toString('hex') });
  });

  it.each(['{', '{"a":1}x', '\ufeffx', Buffer.from([0x22, 0xff, 0x22])])('refuses bad JSON', async (body) => {
    const answer = await rawHttp(started.port, { method: 'POST', path: '/body', body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_input' });
  });

  it('reads and ignores the body of a DELETE', async () => {
    const answer = await rawHttp(started.port, { method: 'DELETE', path: '/body', body: 'not json' });
    expect(answer).toMatchObject({ status: 200, body: '{"body":"ignored"}' });
  });

  it('gives pipes the types of parameters', async () => {
    const answer = await rawHttp(started.port, { method: 'POST', path: '/piped/7', body: '{"title":"x"}' });
    expect(JSON.parse(answer.body)).toEqual({
      draft: { value: { title: 'x' }, type: 'body', metatype: 'Draft' },
      id: { value: '7', type: 'param', metatype: 'Number', data: 'id' },
    });
  });

  it('lets guards decide and interceptors change the answer', async () => {
    expect(await get('/guarded?key=good')).toMatchObject({ status: 200 });
    expect(await json('/guarded?key=bad')).toEqual({
      error: 'Forbidden resource',
      code: 'forbidden',
      status: 403,
    });
    expect(await json('/guarded?key=none')).toEqual({
      error: 'key is unknown',
      code: 'auth_failed',
      status: 401,
    });
    expect(await json('/wrapped')).toEqual({ wrapped: { inner: 1 } });
  });

  it('answers whatever is thrown with the one error body', async () => {
    expect(await json('/fail/service')).toEqual({ error: 'already there', code: 'conflict', status: 409 });
    expect(await json('/fail/nest')).toEqual({
      error: 'a is missing; b is missing',
      code: 'invalid_input',
      status: 400,
    });
    expect(await get('/fail/teapot')).toMatchObject({ status: 400 });
    const fixed = { error: 'Internal server error', code: 'internal_error', status: 500 };
    expect(await json('/fail/unknown')).toEqual(fixed);
    expect(await json('/fail/circular')).toEqual(fixed);
    expect(faults.join('\n')).toContain('password=secret');
  });
});
