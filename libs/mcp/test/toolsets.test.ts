import { MemoryCache } from '@carillon/cache';
import { DESCRIPTIONS } from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { scene } from './scene.js';

const LEAN = { toolsets: ['service', 'channels'] };
const CHANGED = 'notifications/tools/list_changed';

const operations = {
  readHistory: { description: DESCRIPTIONS.readHistory, perform: async () => ({ value: { items: [] } }) },
  channelState: {
    description: DESCRIPTIONS.channelState,
    perform: async () => ({ value: { occupied: false } }),
  },
};

type Scene = Awaited<ReturnType<typeof scene>>;

async function namesOf({ send }: Scene, session: string): Promise<readonly string[]> {
  const { json } = await send({ id: 1, method: 'tools/list' }, { session });
  return (json as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
}

describe('mcp.toolsets', () => {
  it('lists its tools and enable_toolset when another toolset has tools', async () => {
    const one = await scene({ mcp: LEAN, operations });
    const names = await namesOf(one, await one.begin());
    expect(names).toContain('enable_toolset');
    expect(names).toContain('get_channel');
    expect(names).not.toContain('get_channel_history');
  });

  it('offers no enable_toolset when every toolset is listed', async () => {
    const one = await scene({ operations });
    const session = await one.begin();
    expect(await namesOf(one, session)).not.toContain('enable_toolset');
    expect(await one.call(session, 'enable_toolset', { toolset: 'history' })).toMatchObject({
      error: { message: 'Unknown tool: enable_toolset' },
    });
  });

  it('does not forbid calls of tools that are not listed', async () => {
    const one = await scene({ mcp: LEAN, operations });
    expect(await one.call(await one.begin(), 'get_channel_history', { channel: 'orders' })).toMatchObject({
      isError: false,
    });
  });
});

describe('enable_toolset', () => {
  it('adds a toolset to its session and notifies the stream of that session when it is called', async () => {
    const one = await scene({ mcp: LEAN, operations });
    const [session, other] = [await one.begin(), await one.begin()];
    const stream = await one.stream(session);
    expect(await one.call(session, 'enable_toolset', { toolset: 'history' })).toMatchObject({
      isError: false,
      said: {
        toolset: 'history',
        tools: [{ name: 'get_channel_history', inputSchema: { required: ['channel'] } }],
      },
    });
    await stream.untilText(CHANGED);
    expect(await namesOf(one, session)).toContain('get_channel_history');
    expect(await namesOf(one, other)).not.toContain('get_channel_history');
  });

  it('notifies a stream at another process when that process pings it', async () => {
    const cache = new MemoryCache({ capacity: 1000, defaultTtlMs: 60_000, cleanupIntervalMs: 0 });
    const one = await scene({ mcp: LEAN, operations, cache });
    const other = await scene({ mcp: LEAN, operations, cache, pingMs: 5 });
    const session = await one.begin();
    const stream = await other.stream(session);
    await one.call(session, 'enable_toolset', { toolset: 'history' });
    await stream.untilText(CHANGED);
    expect(await namesOf(other, session)).toContain('get_channel_history');
  });

  it('keeps the session of a client whose requests run at the same time', async () => {
    const one = await scene({ mcp: LEAN, operations });
    const session = await one.begin();
    const answers = await Promise.all([
      one.call(session, 'enable_toolset', { toolset: 'history' }, 1),
      ...Array.from({ length: 20 }, (_, index) => one.call(session, 'get_health', {}, index + 2)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await namesOf(one, session)).toContain('get_channel_history');
  });

  it('lists the toolsets when an unknown one is named', async () => {
    const one = await scene({ mcp: LEAN, operations });
    expect(await one.call(await one.begin(), 'enable_toolset', { toolset: 'hist' })).toMatchObject({
      isError: true,
      said: { code: 'invalid_input', details: [{ path: '/toolset', message: 'must be one of history' }] },
    });
  });
});
