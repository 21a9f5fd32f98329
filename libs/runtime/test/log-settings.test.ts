import { describe, expect, it } from 'vitest';
import { thresholdFor } from '../src/logging/filter.js';
import { resolveLogSettings } from '../src/logging/settings.js';
import { capturedLog } from './fixtures.js';

const settings = (environment: Record<string, string>, debug = false, terminal = true) =>
  resolveLogSettings({ debug, colors_enabled: true, include_target: true }, environment, terminal);

const ops = (environment: Record<string, string>, debug: boolean) =>
  thresholdFor(settings(environment, debug).filter, 'service::ops');

describe('log settings', () => {
  it('takes RUST_LOG before the variable of the mode, and that before the default', () => {
    expect(ops({}, false)).toBe('info');
    expect(ops({}, true)).toBe('debug');
    expect(ops({ SERVICE_LOG_PROD: 'warn', SERVICE_LOG_DEBUG: 'trace' }, false)).toBe('warn');
    expect(ops({ SERVICE_LOG_PROD: 'warn', SERVICE_LOG_DEBUG: 'trace' }, true)).toBe('trace');
    expect(ops({ RUST_LOG: 'error', SERVICE_LOG_DEBUG: 'trace' }, true)).toBe('error');
    expect(ops({ RUST_LOG: ' ', SERVICE_LOG_PROD: 'warn' }, false)).toBe('warn');
  });

  it('falls back to the default of the mode when no item is usable', () => {
    expect(ops({ RUST_LOG: 'loud' }, false)).toBe('info');
    expect(settings({ RUST_LOG: 'loud' }).warnings).toHaveLength(1);
  });

  it('knows json, text and human, and warns about anything else', () => {
    expect(settings({ LOG_OUTPUT_FORMAT: 'JSON' }).format).toBe('json');
    expect(settings({ LOG_OUTPUT_FORMAT: 'human' })).toMatchObject({ format: 'text', warnings: [] });
    expect(settings({ LOG_OUTPUT_FORMAT: 'text' })).toMatchObject({ format: 'text', warnings: [] });
    expect(settings({ LOG_OUTPUT_FORMAT: 'xml' })).toMatchObject({
      format: 'text',
      warnings: ['LOG_OUTPUT_FORMAT: unknown value "xml" (expected json, text, human), using text'],
    });
  });

  it('colours text on a terminal only', () => {
    expect(settings({}).colors).toBe(true);
    expect(settings({}, false, false).colors).toBe(false);
    expect(settings({ LOG_OUTPUT_FORMAT: 'json' }).colors).toBe(false);
  });

  it('reports bad settings as the first lines', () => {
    const { lines } = capturedLog({ LOG_OUTPUT_FORMAT: 'xml', RUST_LOG: 'loud,info' });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('WARN service::config: LOG_OUTPUT_FORMAT');
    expect(lines[1]).toContain('log filter item skipped');
  });
});
