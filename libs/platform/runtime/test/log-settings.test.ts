import { describe, expect, it } from 'vitest';
import { thresholdFor } from '../src/logging/filter.js';
import { resolveLogSettings, type LoggingOptions } from '../src/logging/settings.js';
import { capturedLog } from './fixtures.js';

const settings = (options: Partial<LoggingOptions>, terminal = true) =>
  resolveLogSettings(
    { debug: false, colors_enabled: true, include_target: true, format: 'text', filter: 'info', ...options },
    terminal,
  );

describe('log settings', () => {
  it('uses the filter, and info when no item of it is usable', () => {
    expect(thresholdFor(settings({ filter: 'warn,service=debug' }).filter, 'service::ops')).toBe('debug');
    expect(thresholdFor(settings({ filter: 'loud' }).filter, 'service::ops')).toBe('info');
    expect(settings({ filter: 'loud' }).warnings).toHaveLength(1);
  });

  it('prints text unless asked for json', () => {
    expect(settings({ format: 'json' }).format).toBe('json');
    expect(settings({ format: 'text' }).format).toBe('text');
  });

  it('colours text on a terminal only', () => {
    expect(settings({}).colors).toBe(true);
    expect(settings({}, false).colors).toBe(false);
    expect(settings({ colors_enabled: false }).colors).toBe(false);
    expect(settings({ format: 'json' }).colors).toBe(false);
  });

  it('reports bad settings as the first lines', () => {
    const { lines } = capturedLog({ format: 'text', filter: 'loud,info' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('log filter item skipped');
  });
});
