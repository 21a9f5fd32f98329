import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

const room = new URL('../src/index.js', import.meta.url).href;

/** Starts a process that prints "draining" on the first signal, sends the given signals, and returns its exit code. */
async function exitAfter(signals: readonly NodeJS.Signals[], graceSeconds: number): Promise<unknown> {
  const program = `
    const { createLogging, Metrics, ProcessState, Shutdown, stopOnSignals } = await import(${JSON.stringify(room)});
    const logging = createLogging({ debug: false, colors_enabled: true, include_target: true, format: 'text', filter: 'off' });
    const log = logging.for('service::ops');
    const metrics = new Metrics({ prefix: 'service_', port: 6001, log });
    const shutdown = new Shutdown(
      { shutdown_grace_period: ${graceSeconds}, drain: {}, queue_shutdown_timeout_ms: 1000, server_role: 'default' },
      { process: new ProcessState(), metrics, log, flushLog: () => logging.flush() },
    );
    shutdown.onShutdown('drain', 'gate', () => void console.log('draining'));
    stopOnSignals(shutdown);
    setInterval(() => undefined, 1000);
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const pending = [...signals];
  child.stdout.on('data', () => {
    const signal = pending.shift();
    if (signal !== undefined) child.kill(signal);
  });
  const [code] = (await exited) as [number | null];
  return code;
}

describe('stop signals', () => {
  it('end a process with 0', async () => {
    expect(await exitAfter(['SIGTERM'], 0)).toBe(0);
    expect(await exitAfter(['SIGINT'], 0)).toBe(0);
  });

  it('end it with 1 at once when a second one comes', async () => {
    expect(await exitAfter(['SIGTERM', 'SIGTERM'], 3600)).toBe(1);
  });
});
