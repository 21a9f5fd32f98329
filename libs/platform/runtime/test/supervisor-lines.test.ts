import { describe, expect, it } from 'vitest';
import { createLogging } from '../src/logging/logging.js';
import { lines } from '../src/workers/lines.js';

const TIME = /\d{4}-[^"\s]*Z/;

describe('the log of a supervisor', () => {
  it.each(['json', 'text'] as const)('looks like that of its workers in %s', (format) => {
    const written: string[] = [];
    const destination = { write: (line: string) => written.push(line.replace(TIME, 'now')) };
    const fields = { worker: 1, pid: 4711, signal: null, reason: 'told to "stop"' };
    const shape = { format, colors: false, includeTarget: true } as const;
    lines({ ...shape, threshold: 'info' }, destination).warn('worker ended', fields);
    const logging = createLogging(
      { debug: false, format, filter: 'info', colors_enabled: false, include_target: true },
      { destination, terminal: false },
    );
    logging.for('service::workers').warn('worker ended', fields);
    expect(written[0]).toBe(written[1]);
  });

  it('says nothing below its level', () => {
    const written: string[] = [];
    const options = { format: 'json', colors: false, includeTarget: true, threshold: 'error' } as const;
    const log = lines(options, { write: (line: string) => written.push(line) });
    log.info('worker ready');
    log.warn('worker ended');
    expect(written).toEqual([]);
  });
});
