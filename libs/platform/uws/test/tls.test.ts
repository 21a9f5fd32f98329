import { connect } from 'node:tls';
import { rawHttp } from '@carillon/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type ServerOptions, UwsHttpAdapter, UwsServer } from '../src/index.js';
import { PASSPHRASE, writeTlsFiles } from './tls-files.js';

const files = writeTlsFiles();
const { certPath, keyPath, encryptedKeyPath } = files;
const servers: UwsServer[] = [];

async function start(tls: NonNullable<ServerOptions['tls']>): Promise<number> {
  const server = new UwsServer({ tls });
  servers.push(server);
  const adapter = new UwsHttpAdapter(server);
  adapter.fastRoute('GET', '/hello', (_request, response) => response.send({ tls: true }));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return address.kind === 'tcp' ? address.port : 0;
}

/** The protocol agreed on, or the error code. */
function handshake(
  port: number,
  version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3',
  ciphers = 'DEFAULT',
): Promise<string> {
  return new Promise((told) => {
    const options = { minVersion: version, maxVersion: version, ciphers: `${ciphers}@SECLEVEL=0` };
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    socket.once('secureConnect', () => {
      told(socket.getProtocol() ?? '');
      socket.destroy();
    });
    socket.once('error', () => told('refused'));
  });
}

const make = (tls: NonNullable<ServerOptions['tls']>) => () => new UwsServer({ tls });

describe('TLS', () => {
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  afterAll(() => files.remove());

  it('speaks 1.2 and 1.3 and nothing older', async () => {
    const port = await start({ certPath, keyPath });
    expect(await rawHttp({ port, tls: true }, { path: '/hello' })).toMatchObject({
      status: 200,
      body: '{"tls":true}',
    });
    expect(await handshake(port, 'TLSv1.2')).toBe('TLSv1.2');
    expect(await handshake(port, 'TLSv1.3')).toBe('TLSv1.3');
    expect(await handshake(port, 'TLSv1.1')).toBe('refused');
  });

  // The certificate has an ECDSA key: RSA suites would be refused by any server.
  it.each([
    ['accepts', 'AES128-GCM-SHA256', 'TLSv1.2'],
    ['accepts', 'AES256-GCM-SHA384', 'TLSv1.2'],
    ['accepts', 'CHACHA20-POLY1305', 'TLSv1.2'],
    ['refuses', 'AES128-SHA', 'refused'],
    ['refuses', 'AES256-SHA', 'refused'],
    ['refuses', 'AES128-SHA256', 'refused'],
  ])('%s TLS 1.2 when the client offers ECDHE-ECDSA-%s alone', async (_verb, cipher, outcome) => {
    const port = await start({ certPath, keyPath });
    expect(await handshake(port, 'TLSv1.2', `ECDHE-ECDSA-${cipher}`)).toBe(outcome);
  });

  it('opens an encrypted key with its passphrase', async () => {
    const port = await start({ certPath, keyPath: encryptedKeyPath, passphrase: PASSPHRASE });
    expect((await rawHttp({ port, tls: true }, { path: '/hello' })).status).toBe(200);
  });

  it('takes authorities for client certificates', async () => {
    const port = await start({ certPath, keyPath, caPath: certPath });
    expect((await rawHttp({ port, tls: true }, { path: '/hello' })).status).toBe(200);
  });

  it('says what is wrong with its files, and nothing secret', () => {
    expect(make({ certPath: '/nowhere/cert.pem', keyPath })).toThrow(
      'TLS certificate /nowhere/cert.pem cannot be read (ENOENT)',
    );
    expect(make({ certPath, keyPath: '/nowhere/key.pem' })).toThrow('TLS key /nowhere/key.pem');
    expect(make({ certPath: keyPath, keyPath })).toThrow('not usable');
    const wrong = make({ certPath, keyPath: encryptedKeyPath, passphrase: 'hunter2-secret' });
    expect(wrong).toThrow('not usable');
    expect(wrong).not.toThrow(/hunter2/);
  });
});
