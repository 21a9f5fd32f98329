// Installs Debian packages without letting them start services.
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { withLock } from '../state/lock.js';

const LISTS = '/var/lib/apt/lists';
const LISTS_STAY_FRESH_MS = 24 * 3_600_000;
const INSTALL_LIMIT_MS = 900_000;
const POLICY = '/usr/sbin/policy-rc.d';
const SETTINGS = {
  DEBIAN_FRONTEND: 'noninteractive',
  // Together with the policy file: packages are not to start what they install.
  RUNLEVEL: '1',
};

let updated = false;

/** Why packages cannot be installed here; null when they can. @returns {string | null} */
export function whyNoApt() {
  if (!existsSync('/usr/bin/apt-get')) return 'there is no apt-get';
  return process.getuid?.() === 0 ? null : 'apt-get needs root';
}

function listsAreFresh() {
  const names = existsSync(LISTS) ? readdirSync(LISTS).filter((name) => name.includes('_Packages')) : [];
  return names.some((name) => Date.now() - statSync(join(LISTS, name)).mtimeMs < LISTS_STAY_FRESH_MS);
}

/** @param {string[]} args */
const aptGet = (args) =>
  run('apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: SETTINGS,
    limitMs: INSTALL_LIMIT_MS,
  });

async function update() {
  updated = true;
  say('reading the package lists (apt-get update)');
  await aptGet(['update']);
}

/** @param {() => Promise<unknown>} work */
async function withoutServices(work) {
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

/** @param {string[]} packages */
async function installUnderLock(packages) {
  if (!updated && !listsAreFresh()) await update();
  say(`installing ${packages.join(' ')}`);
  const install = () => withoutServices(() => aptGet(['install', '--no-install-recommends', ...packages]));
  try {
    await install();
  } catch (error) {
    // Lists older than the mirror name files that are gone; that is the one failure a fresh list mends.
    if (updated) throw error;
    await update();
    await install();
  }
}

/** Installs the packages; one installation at a time on the whole machine. @param {string[]} packages */
export const installPackages = (packages) =>
  withLock(join(tmpdir(), 'carillon-engines-apt.lock'), () => installUnderLock(packages), {
    limitMs: INSTALL_LIMIT_MS,
    onWait: () => say('waiting for another installation to end'),
  });
