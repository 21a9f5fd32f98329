import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { parseStat, readTree } from '../measure/proc-tree.js';

const BUSY = `
const until = process.cpuUsage().user + 300000;
while (process.cpuUsage().user < until);
process.stdout.write('done');
setInterval(() => {}, 1000);`;
/** A shell that waits for the busy process, so the work happens one level down. */
const PARENT = `"${process.execPath}" -e "${BUSY.replaceAll('\n', ' ')}"; exit 0`;

/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});

describe('process tree', () => {
  it('adds up CPU and memory of a process and what it started', async () => {
    const child = spawn('sh', ['-c', PARENT], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    started.push(child);
    await once(child.stdout, 'data');
    const tree = readTree(child.pid ?? 0);
    expect(tree?.pids.length).toBe(2);
    expect(tree?.pids).toContain(child.pid);
    expect(tree?.cpuUs).toBeGreaterThanOrEqual(290_000);
    expect(tree?.rssBytes).toBeGreaterThan(20 * 2 ** 20);
  });

  it('is absent for a process that has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(readTree(child.pid ?? 0)).toBeNull();
  });

  it('reads a command name with brackets and spaces, and counts collected children', () => {
    const rest = 'S 41 0 0 0 0 0 0 0 0 0 1 2 3 4 20 0 1 0 9 1000 77';
    expect(parseStat(`42 (a) b) ${rest}`)).toEqual({ parent: 41, ticks: 10, rssPages: 77 });
  });
});
