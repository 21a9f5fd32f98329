import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NestLogBridge } from '../src/index.js';
import { capturedLog } from './fixtures.js';

const TEXT = { format: 'text' };

describe('log lines', () => {
  it('prints exactly the one JSON shape', () => {
    const span = { name: 'broadcast', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' };
    const { logging, lines } = capturedLog(undefined, { currentSpan: () => span });
    logging
      .for('service::adapter')
      .warn('broker reconnecting', { driver: 'nats', attempt: 3, retryable: true });
    const stamp = (JSON.parse(lines[0] ?? '') as { timestamp: string }).timestamp;
    expect(new Date(stamp).toISOString()).toBe(stamp);
    expect(lines).toEqual([
      `{"timestamp":"${stamp}","level":"WARN","target":"service::adapter","span":${JSON.stringify(span)},` +
        '"fields":{"message":"broker reconnecting","driver":"nats","attempt":3,"retryable":true}}\n',
    ]);
  });

  it('has no span where nothing is traced, and upper-case levels', () => {
    const { logging, records } = capturedLog();
    const log = logging.for('service::ops');
    log.trace('a');
    log.debug('b');
    log.info('c');
    log.warn('d');
    log.error('e');
    expect(records().map(({ level }) => level)).toEqual(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR']);
    expect(Object.keys(records()[0] ?? {})).toEqual(['timestamp', 'level', 'target', 'fields']);
  });

  it('stays one valid JSON line whatever is logged', () => {
    const { logging, lines } = capturedLog();
    const log = logging.for('service::ops');
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.anything()),
        (message, fields) => {
          lines.length = 0;
          log.info(message, fields);
          expect(lines).toHaveLength(1);
          expect(lines[0]?.indexOf('\n')).toBe((lines[0]?.length ?? 0) - 1);
          expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'INFO' });
        },
      ),
    );
  });

  it('prints text for people, with the target unless it is switched off', () => {
    const { logging, lines } = capturedLog(TEXT);
    logging.for('service::ops').info('listening', { port: 6001, note: 'two words' });
    expect(lines[0]).toMatch(/^\S+Z {2}INFO service::ops: listening port=6001 note="two words"\n$/);
  });

  it('cannot be tricked into a second text line', () => {
    const { logging, lines } = capturedLog(TEXT);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (message, value) => {
        lines.length = 0;
        logging.for('service::ops').info(`a\n${message}`, { value: `b\u001b[2J${value}` });
        expect(lines).toHaveLength(1);
        expect(lines[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('colours the level when asked to', () => {
    const { logging, lines } = capturedLog(TEXT, { terminal: true });
    logging.for('service::ops').error('down');
    expect(lines[0]).toContain('\u001b[31mERROR\u001b[0m');
  });

  it('shows where a line comes from in debug', () => {
    const { logging, lines } = capturedLog({ ...TEXT, debug: true });
    logging.for('service::ops').info('here');
    expect(lines[0]).toMatch(/log-lines\.test\.[jt]s:\d+: here/);
  });

  it('does not look at the fields of a line that is off', () => {
    const { logging, lines } = capturedLog({ filter: 'info' });
    const log = logging.for('service::ops');
    const fields = {
      get costly(): string {
        throw new Error('looked');
      },
    };
    log.debug('frame', fields);
    expect(log.enabled('debug')).toBe(false);
    expect(log.enabled('info')).toBe(true);
    expect(lines).toEqual([]);
  });

  it('survives fields that cannot be read', () => {
    const { logging, records } = capturedLog();
    const broken = {
      get field(): string {
        throw new Error('no');
      },
    };
    logging.for('service::ops').info('still here', broken);
    expect(records()[0]?.fields).toEqual({ message: 'still here', unprintable: true });
  });

  it('carries the framework lines, its chatter at debug', () => {
    const { logging, records } = capturedLog();
    const bridge = new NestLogBridge(logging);
    bridge.log('Mapped {/live, GET} route', 'RouterExplorer');
    bridge.error(new Error('boom'), 'ExceptionHandler');
    expect(records()).toMatchObject([
      { level: 'DEBUG', target: 'service::nest', fields: { context: 'RouterExplorer' } },
      { level: 'ERROR', fields: { message: 'Nest message', error: 'boom' } },
    ]);
  });
});
