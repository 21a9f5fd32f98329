import { Surreal } from 'surrealdb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { engine } from '../src/index.js';

/** @param {string} url @param {string} database */
async function connected(url, database) {
  const client = new Surreal({ websocketImpl: /** @type {any} */ (WebSocket) });
  onTestFinished(() => client.close().then(() => undefined));
  await client.connect(`${url}/rpc`, { namespace: 'test', database, reconnect: false });
  return client;
}

const root = { username: 'root', password: 'root' };

describe('surrealdb', () => {
  it('keeps sessions of several connections apart', async () => {
    const { url, name } = await (await engine('surrealdb')).isolate();
    const one = await connected(url, `${name}_one`);
    const other = await connected(url, `${name}_other`);
    await one.signin(root);
    await other.signin(root);
    expect(await one.query('RETURN session::db()')).toEqual([`${name}_one`]);
    expect(await other.query('RETURN session::db()')).toEqual([`${name}_other`]);
  });

  it('rejects wrong credentials, and queries without any', async () => {
    const { url, name } = await (await engine('surrealdb')).isolate();
    const client = await connected(url, name);
    await expect(client.query('RETURN 1')).rejects.toThrow('Anonymous access not allowed');
    await expect(client.signin({ ...root, password: 'wrong' })).rejects.toThrow(
      'problem with authentication',
    );
    await expect(client.query('RETURN 1')).rejects.toThrow('Anonymous access not allowed');
  });

  it('keeps committed records when it is killed and restarted', async () => {
    const server = await engine('surrealdb', { own: true });
    onTestFinished(() => server.release());
    const before = await connected(server.url, 'd');
    await before.signin(root);
    await before.query('CREATE bell:tenor');
    await server.kill();
    await server.restart();
    const after = await connected(server.url, 'd');
    await after.signin(root);
    expect(await after.query('SELECT VALUE record::id(id) FROM bell')).toEqual([['tenor']]);
  });
});
