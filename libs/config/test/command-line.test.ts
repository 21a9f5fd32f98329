import { describe, expect, it } from 'vitest';
import { exits, runs } from './harness.js';

describe('the command line', () => {
  it.each([
    [['--config']],
    [['-c', '--check-config']],
    [['--config=']],
    [['-c', 'a', '--config', 'b']],
    [['--port', '1']],
    [['x']],
    [['--check-config', '--print-config']],
    [['--migrate', '--check-config']],
    [['--migrate', '--workers', '2']],
  ])('refuses %j with 64', (argv) => {
    const { code, stdout, stderr } = exits({ argv });
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain('--check-config');
  });

  it('prints help and version without looking at the configuration', () => {
    expect(exits({ argv: ['--help'], toml: '=' })).toMatchObject({ code: 0, stderr: '' });
    expect(exits({ argv: ['--version'], toml: '=' }).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('checks', () => {
    expect(exits({ argv: ['--check-config'] })).toEqual({
      kind: 'exit',
      code: 0,
      stdout: 'configuration OK (0 warnings)\n',
      stderr: '',
    });
    const warned = exits({ argv: ['--check-config'], toml: 'prot = 1' });
    expect(warned.stdout).toBe('configuration OK (1 warnings)\n');
    expect(warned.stderr).toBe('warning: prot: unknown key (did you mean "port"?)\n');
    expect(exits({ argv: ['--check-config'], env: { PORT: 'x' } }).code).toBe(78);
  });

  it('accepts the file in one argument', () => {
    expect(runs({ argv: ['--config=a=b.toml'], files: { 'a=b.toml': 'port = 7001' } }).config.port).toBe(
      7001,
    );
  });
});
