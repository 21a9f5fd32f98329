import { describe, expect, it } from 'vitest';
import { discover } from '../src/load/discover.js';
import { CWD, exits, memoryFiles, problems, runs } from './harness.js';

describe('which file counts', () => {
  it('needs none', () => {
    expect(runs().source).toBeNull();
  });

  it('takes the TOML file when both defaults exist, and merges nothing', () => {
    const { config, source } = runs({ toml: 'port = 7001', json: { port: 7002, host: '10.0.0.1' } });
    expect([source, config.port, config.host]).toEqual(['config/config.toml', 7001, '0.0.0.0']);
  });

  it('takes the JSON file when it is alone', () => {
    expect(runs({ json: { port: 7002 } }).config.port).toBe(7002);
  });

  it('reads exactly the named file', () => {
    const files = { 'other.conf': '{"port": 7003}' };
    expect(runs({ argv: ['--config', 'other.conf'], files, toml: 'port = 1' }).config.port).toBe(7003);
    expect(runs({ argv: ['-c', 'other.conf'], files }).source).toBe('other.conf');
  });

  it('ends with 78 and the path when the named file is missing', () => {
    const exit = exits({ argv: ['--config', 'missing.toml'], toml: 'port = 1' });
    expect(exit.code).toBe(78);
    expect(exit.stderr).toContain('file not found: missing.toml');
  });

  it('never falls through to the next file', () => {
    const lines = problems({ toml: 'port = = 1', json: { port: 7002 } });
    expect(lines).toEqual(['config/config.toml: syntax error at line 1, column 8']);
  });

  it('ignores CONFIG_FILE', () => {
    expect(runs({ env: { CONFIG_FILE: 'x.toml' }, files: { 'x.toml': 'port = 1' } }).config.port).toBe(6001);
  });

  it('says why a file that exists cannot be read', () => {
    const files = {
      exists: () => true,
      read: () => {
        throw Object.assign(new Error('no'), { code: 'EACCES' });
      },
    };
    expect(discover(files, CWD, null)).toEqual({
      kind: 'failed',
      path: 'config/config.toml',
      message: 'file cannot be read: config/config.toml (EACCES)',
    });
  });

  it('drops a byte order mark', () => {
    const found = discover(memoryFiles({ 'a.json': '\uFEFF{}' }), CWD, 'a.json');
    expect(found).toEqual({ kind: 'read', path: 'a.json', text: '{}' });
  });
});
