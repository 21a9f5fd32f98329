// Starts processes that outlive this one, with their output in a log beside their data.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from './identity.js';

/** @import { Account, NodePlan, RunningNode } from '../types.js' */

/** @param {string} folder @param {string} node */
const logPath = (folder, node) => join(folder, `${node}.log`);

/** @param {Account | null | undefined} account */
const as = (account) => (account ? { uid: account.uid, gid: account.gid } : {});

/** What a child sees of the environment: enough to find programs and libraries, nothing of the caller's own settings.
 * @param {string} folder */
const baseEnvironment = (folder) => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  HOME: folder,
  TMPDIR: folder,
});

/** @param {string} folder @param {NodePlan} plan @returns {Promise<RunningNode>} */
export async function launch(folder, plan) {
  const log = openSync(logPath(folder, plan.name), 'a');
  try {
    const child = spawn(plan.command, plan.args, {
      cwd: folder,
      env: { ...baseEnvironment(folder), ...plan.env },
      stdio: ['ignore', log, log],
      detached: true,
      ...as(plan.account),
    });
    await new Promise((done, failed) => {
      child.once('spawn', done);
      child.once('error', failed);
    });
    child.unref();
    const pid = child.pid ?? 0;
    return { ...plan, process: identify(pid) ?? { pid, started: 'gone' } };
  } finally {
    closeSync(log);
  }
}

/**
 * Runs a command to its end; resolves with what it wrote, rejects with its last lines when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ folder?: string, cwd?: string, env?: Record<string, string>, account?: Account | null, limitMs?: number }} [options]
 *   with a folder it runs there and sees only that; without one, in `cwd` or the caller's own, with the caller's
 *   environment
 * @returns {Promise<string>}
 */
export function run(command, args, { folder, cwd, env, account, limitMs = 120_000 } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, {
      cwd: folder ?? cwd,
      env: { ...(folder === undefined ? process.env : baseEnvironment(folder)), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...as(account),
    });
    // Not spawn's own limit: its timer stays behind, and this process with it, when the command does not exist.
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    let output = '';
    /** @param {Buffer} chunk */
    const collect = (chunk) => {
      output = (output + chunk.toString()).slice(-64_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => {
      clearTimeout(limit);
      failed(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) done(output);
      else failed(new Error(`${command} ended with ${signal ?? code}: ${lastLines(output)}`));
    });
  });
}

/** @param {string} text */
const lastLines = (text) => text.trim().split('\n').slice(-8).join('\n');

/** The end of a node's log, for the message about its failure. @param {string} folder @param {string} node */
export function logEnd(folder, node) {
  try {
    return lastLines(readFileSync(logPath(folder, node), 'utf8').slice(-8000));
  } catch {
    return '';
  }
}
