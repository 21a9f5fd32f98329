import { DESCRIPTIONS, type JsonObject } from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { paged } from '../src/tools/pages.js';
import { scene } from './scene.js';

const MIB = 1024 * 1024;
const PAGED = { input: { properties: { limit: { type: 'integer' } } } };
const USERS = { input: { properties: {} }, list: { member: 'users', name: 'id' } };
const CHANNELS = { input: { properties: {} }, list: { member: 'channels' } };

/** A history of texts, read in pages of at most 100. */
function history(lengths: readonly number[]) {
  const limits: number[] = [];
  const run = async ({ limit = 100 }: JsonObject): Promise<unknown> => {
    limits.push(Number(limit));
    const items = lengths.slice(0, Number(limit)).map((length) => 'x'.repeat(length));
    return { items, limit, next_cursor: items.length < lengths.length ? `after ${items.length}` : null };
  };
  return { run, limits };
}

const bytesOf = (value: unknown): number => JSON.stringify(value).length;

describe('paged', () => {
  it('reads a page again with the limit that fits when it is too large', async () => {
    const { run, limits } = history([100, 100, 500, 100, 100]);
    const value = await paged({ tool: PAGED, given: {}, run }, 800, MIB);
    expect(bytesOf(value)).toBeLessThanOrEqual(800);
    expect(value).toMatchObject({ limit: 3, next_cursor: 'after 3' });
    expect(limits).toEqual([100, 3]);
  });

  it('reads a page once when it fits', async () => {
    const { run, limits } = history([100, 100]);
    await paged({ tool: PAGED, given: { limit: 7 }, run }, 800, MIB);
    expect(limits).toEqual([7]);
  });

  it('returns one item when no item fits', async () => {
    const { run } = history([5000, 5000]);
    expect(await paged({ tool: PAGED, given: {}, run }, 800, MIB)).toMatchObject({ limit: 1 });
  });

  it('leaves a page over the hard limit for its refusal', async () => {
    const { run, limits } = history([5000, 5000]);
    await paged({ tool: PAGED, given: {}, run }, 800, 9000);
    expect(limits).toEqual([100]);
  });

  it.each([
    ['an array', USERS, { users: Array.from({ length: 200 }, (_, at) => ({ id: `user-${at}` })) }],
    [
      'a map',
      CHANNELS,
      {
        complete: false,
        channels: Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`c-${at}`, {}])),
      },
    ],
  ] as const)('walks a whole list with its cursor when it is %s', async (_, tool, whole) => {
    const names = new Set<string>();
    let cursor: unknown;
    do {
      const given = cursor === undefined ? {} : { cursor };
      const page = (await paged({ tool, given, run: async () => whole }, 500, MIB)) as JsonObject;
      expect(bytesOf(page)).toBeLessThanOrEqual(500);
      const list = page[tool.list.member] as object;
      const found = Array.isArray(list) ? list.map(({ id }: { id: string }) => id) : Object.keys(list);
      for (const name of found) {
        expect(names.has(name)).toBe(false);
        names.add(name);
      }
      cursor = page['next_cursor'];
    } while (cursor !== null);
    expect(names.size).toBe(200);
  });

  it('returns a whole list unchanged when it fits', async () => {
    const whole = { users: [{ id: 'b' }, { id: 'a' }] };
    expect(await paged({ tool: USERS, given: {}, run: async () => whole }, 500, MIB)).toBe(whole);
  });
});

const perform = async (_caller: unknown, { limit = '50' }: { limit?: string }) => ({
  value: { items: Array.from({ length: Number(limit) }, () => 'x'.repeat(100)), next_cursor: 'on' },
});
const itemsOf = (said: unknown): number => (said as { items: unknown[] }).items.length;

describe('a result', () => {
  const operations = { readHistory: { description: DESCRIPTIONS.readHistory, perform } };

  it('has the page size that fits into mcp.max_result_tokens when it is larger', async () => {
    const { begin, call } = await scene({ operations, mcp: { max_result_tokens: 500 } });
    const { said } = await call(await begin(), 'get_channel_history', { channel: 'orders' });
    expect(itemsOf(said)).toBe(19);
    expect(bytesOf(said)).toBeLessThanOrEqual(2000);
  });

  it('has every item when mcp.max_result_tokens is 0', async () => {
    const { begin, call } = await scene({ operations, mcp: { max_result_tokens: 0 } });
    const { said } = await call(await begin(), 'get_channel_history', { channel: 'orders' });
    expect(itemsOf(said)).toBe(50);
  });

  it('has no text when mcp.text_results is false', async () => {
    const { begin, send } = await scene({ operations, mcp: { text_results: false } });
    const params = { name: 'get_channel_history', arguments: { channel: 'orders', limit: 1 } };
    const { json } = await send({ id: 1, method: 'tools/call', params }, { session: await begin() });
    expect(json).toMatchObject({ result: { content: [], structuredContent: { next_cursor: 'on' } } });
  });
});

describe('a refusal', () => {
  it('lists the tools that share a word when a tool is unknown', async () => {
    const { begin, send } = await scene();
    const { json } = await send(
      { id: 1, method: 'tools/call', params: { name: 'get_app_status' } },
      { session: await begin() },
    );
    expect(json).toMatchObject({
      error: {
        code: -32_602,
        message: 'Unknown tool: get_app_status',
        data: { tools: ['get_app_health', 'get_health', 'get_memory_usage', 'get_stats'] },
      },
    });
  });

  it('lists the known arguments when an argument is unknown', async () => {
    const { begin, call } = await scene();
    expect(await call(await begin(), 'list_apps', { size: 1 })).toMatchObject({
      said: { details: [{ path: '/size', message: 'unknown argument; known are limit, cursor' }] },
    });
  });
});
