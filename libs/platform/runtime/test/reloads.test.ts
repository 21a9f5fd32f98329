import { configure, type Configured } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import { Reloads } from '../src/index.js';
import { capturedLog } from './fixtures.js';

const read = (env: Record<string, string> = {}): Configured =>
  configure({
    process: 'server',
    argv: [],
    env: { ENVIRONMENT: 'test', INSTANCE_PROCESS_ID: 'n1', ...env },
    cwd: '/nowhere',
  });

function scene(env: Record<string, string> = {}) {
  const started = read();
  if (started.kind !== 'run') throw new Error(started.stderr);
  const { logging, records } = capturedLog();
  const now = { env };
  const reloads = new Reloads({
    config: started.config,
    read: () => read(now.env),
    log: logging.for('service::config'),
  });
  const taken: number[] = [];
  const take = (): void => reloads.onReload('mcp', ({ mcp }) => void taken.push(mcp.rate_limit_per_minute));
  return { reloads, now, taken, take, records };
}

describe('a configuration that is read again', () => {
  it('reaches those that take a section of it', () => {
    const { reloads, taken, take } = scene({ MCP_RATE_LIMIT_PER_MINUTE: '7' });
    take();
    expect(reloads.reload()).toBe(true);
    expect(taken).toEqual([7]);
  });

  it('reaches those too that begin to take it later', () => {
    const { reloads, taken, take } = scene({ MCP_RATE_LIMIT_PER_MINUTE: '7' });
    reloads.reload();
    take();
    expect(taken).toEqual([7]);
  });

  it('changes nothing when it is not valid', () => {
    const { reloads, taken, take, records } = scene({ MCP_RATE_LIMIT_PER_MINUTE: 'many' });
    take();
    expect(reloads.reload()).toBe(false);
    expect(taken).toEqual([]);
    expect(records()).toMatchObject([
      { level: 'ERROR', fields: { error: expect.stringContaining('MCP_RATE_LIMIT_PER_MINUTE') as string } },
    ]);
  });

  it('names the sections that wait for a restart', () => {
    const { reloads, take, records } = scene({ HISTORY_ENABLED: 'true', MCP_RATE_LIMIT_PER_MINUTE: '7' });
    take();
    reloads.reload();
    expect(records()).toMatchObject([
      { level: 'INFO', fields: { sections: 'mcp' } },
      { level: 'WARN', fields: { sections: 'history' } },
    ]);
  });

  it('may be taken a member of a section alone, and the others of it are named', () => {
    const keys = JSON.stringify([{ app_id: 'a', key_name: 'a.b', secret: 'c' }]);
    const { reloads, now, records } = scene({ SERVICE_COMPAT_KEYS_JSON: keys });
    const names: string[] = [];
    reloads.onReload('compat.keys', ({ compat }) =>
      names.push(...compat.keys.map(({ key_name: name }) => name)),
    );
    reloads.reload();
    now.env = { ...now.env, SERVICE_COMPAT_ATTACH_TIMEOUT_MS: '7' };
    reloads.reload();
    expect(names).toEqual(['a.b', 'a.b']);
    expect(records().map(({ fields }) => fields['sections'])).toEqual([
      'compat.keys',
      'compat.keys',
      'compat',
    ]);
  });
});
