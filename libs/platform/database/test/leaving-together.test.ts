import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { postgres } from '../src/dialects/postgres.js';

/** A connection as seen by the dialect: each statement writes a piece. */
function connection(pipeline: boolean) {
  const stream = new PassThrough();
  return {
    pipeline,
    connection: { stream },
    query: ({ text }: { readonly text: string }) => {
      stream.write(text);
      return Promise.resolve({ rows: [], rowCount: 0 });
    },
  };
}

async function ask(client: object, sql: string): Promise<void> {
  await postgres.send?.(client, { sql, values: [], again: false });
}

it('holds back the statements of one turn until all of them are there', async () => {
  const client = connection(true);
  const [first, second] = [ask(client, 'a;'), ask(client, 'b;')];
  expect(client.connection.stream.writableCorked).toBe(1);
  await Promise.all([first, second]);
  await turn();
  expect(client.connection.stream.writableCorked).toBe(0);
  expect(String(client.connection.stream.read())).toBe('a;b;');
  await ask(client, 'c;');
  await turn();
  expect(String(client.connection.stream.read())).toBe('c;');
});

it('holds back nothing where one statement waits for the other', () => {
  const client = connection(false);
  void ask(client, 'a;');
  expect(client.connection.stream.writableCorked).toBe(0);
});
