import { describe, expect, it } from 'vitest';
import { placeOf } from '../src/places.js';
import { serversOf } from '../src/servers.js';
import { configured } from './settings.js';

const of = (env: Record<string, string>) => serversOf(configured(env).adapter.nats, 'adapter.nats');

describe('addresses of NATS servers', () => {
  it('are given with and without a scheme, a name and a password', () => {
    expect(of({ NATS_SERVERS: 'nats://one:4222,two,tls://three:1' })).toEqual({
      servers: ['one:4222', 'two', 'three:1'].map(placeOf),
      tls: true,
      login: {},
    });
    expect(of({ NATS_SERVERS: 'nats://us%40er:p%3Aw@one:4222' })).toEqual({
      servers: [placeOf('one:4222')],
      tls: false,
      login: { user: 'us@er', pass: 'p:w' },
    });
    expect(of({ NATS_SERVERS: 'nats://t0ken@one:4222' })).toEqual({
      servers: [placeOf('one:4222')],
      tls: false,
      login: { token: 't0ken' },
    });
  });

  it('say less than settings of their own', () => {
    const servers = 'nats://user:word@one:4222';
    expect(of({ NATS_SERVERS: servers, NATS_TOKEN: 't' }).login).toEqual({ token: 't' });
    const { login } = of({ NATS_SERVERS: servers, NATS_USERNAME: 'u', NATS_PASSWORD: 'p' });
    expect(login).toEqual({ user: 'u', pass: 'p' });
  });

  it('that cannot be used are not quoted', () => {
    for (const wrong of ['http://user:word@one', 'nats://user:word@', 'nats://user:word@:x']) {
      expect(() => of({ NATS_SERVERS: wrong })).toThrow(
        /^adapter\.nats\.servers: not an address of a NATS server$/,
      );
    }
  });
});
