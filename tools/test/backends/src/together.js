// Starts several engines for everybody in this workspace, and ends them.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { acquire } from './acquire/acquire.js';
import { fromEnvironment, variable } from './address.js';
import { enginesNamed } from './catalogue.js';
import { eventually } from './pause.js';
import { family, ownIdentity } from './processes/identity.js';
import { reasonOf, say } from './say.js';
import { endEngine, isRunning, startEngine } from './start.js';
import { home } from './state/folder.js';
import { withLock } from './state/lock.js';
import { changeState, readState } from './state/state.js';

/** @import { Engine, Missing, Tools } from './types.js' */

/** How long an engine that belongs to no process stays when nobody asks for it. */
export const DEFAULT_LIFETIME_MS = 2 * 3_600_000;
const GIVEN_LIMIT_MS = 5000;

/**
 * @typedef {object} StartOptions
 * @property {boolean} [detached] they outlive this process, until `down` or the end of their lifetime; otherwise they
 *   end with it, however it ends
 * @property {number} [lifetimeMs] for detached ones: how long they stay when nobody asks
 * @property {boolean} [durable] databases flush every commit to disk
 */

/** @typedef {{ url: string, origin: 'environment' | 'running' | 'started' }} Started */

/** Keys of those this process started for everybody. @type {Set<string>} */
const startedHere = new Set();

/** Notes that somebody asked, which prolongs its life. @param {string} key */
export const touch = (key) =>
  changeState((state) => {
    const running = state.engines[key];
    if (running !== undefined) running.askedAt = Date.now();
  });

/** @param {Engine} engine @returns {Promise<Started | null>} */
async function alreadyThere({ name, ready }) {
  const url = fromEnvironment(name);
  if (url !== null) {
    // A container beside the tests may still be starting.
    await eventually(() => ready(url), { limitMs: GIVEN_LIMIT_MS }).catch((error) => {
      throw new Error(`what ${variable(name)} names does not answer: ${reasonOf(error)}`, { cause: error });
    });
    return { url, origin: 'environment' };
  }
  const running = readState().engines[name];
  if (running === undefined || !isRunning(running)) return null;
  await touch(name);
  return { url: running.url, origin: 'running' };
}

/** @param {Engine} engine @param {Tools} tools @param {StartOptions} options @returns {Promise<Started>} */
async function startShared(engine, tools, { detached = false, lifetimeMs, durable = false }) {
  const { name } = engine;
  return withLock(join(home(), `${name}.start.lock`), async () => {
    const there = await alreadyThere(engine);
    if (there !== null) return there;
    // What a crash left of an earlier one.
    await endEngine(name);
    const began = Date.now();
    const { url } = await startEngine(engine, tools, {
      key: name,
      owner: detached ? null : ownIdentity(),
      lifetimeMs: lifetimeMs ?? DEFAULT_LIFETIME_MS,
      options: { durable },
    });
    startedHere.add(name);
    say(`${name} is ready (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    return { url, origin: 'started' };
  });
}

/**
 * Runs the work over the items, a few at a time.
 * @template T
 * @param {readonly T[]} items @param {(item: T) => Promise<void>} work
 */
async function aFewAtATime(items, work) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
}

/**
 * Starts the named engines, those that run already or that the environment names excepted. Every name is in exactly
 * one of the two parts of the result; the missing ones are also kept in the state, where `engine` finds them.
 * @param {readonly string[]} names
 * @param {StartOptions} [options]
 * @returns {Promise<{ started: Record<string, Started>, missing: Missing[] }>}
 */
export async function startAll(names, options = {}) {
  const engines = enginesNamed(names);
  /** @type {Record<string, Started>} */
  const started = {};
  /** @type {Missing[]} */
  const missing = [];
  /** @param {Engine} engine @param {() => Promise<Started | null>} start */
  const note = async ({ name }, start) => {
    try {
      const result = await start();
      if (result !== null) started[name] = result;
    } catch (error) {
      missing.push({ name, reason: reasonOf(error) });
    }
  };
  for (const engine of engines) await note(engine, () => alreadyThere(engine));
  const settled = () => [...Object.keys(started), ...missing.map(({ name }) => name)];
  const wanted = engines.filter(({ name }) => !settled().includes(name));
  const { tools, missing: unobtainable } = await acquire(wanted);
  missing.push(...unobtainable);
  await aFewAtATime(wanted, async (engine) => {
    const found = tools.get(engine.name);
    if (found !== undefined) await note(engine, () => startShared(engine, found, options));
  });
  await changeState((state) => {
    const others = state.missing.filter(({ name }) => !names.includes(name));
    state.missing = [...others, ...missing];
  });
  for (const { name, reason } of missing) say(`missing: ${name}: ${reason}`);
  return { started, missing };
}

/** Why the last start in this workspace could not get the engine; null when it could, or was not asked to. @param {string} name @returns {string | null} */
export const whyMissing = (name) => readState().missing.find((one) => one.name === name)?.reason ?? null;

/**
 * The processor time that each engine started here has used so far, in milliseconds; 0 where the system has no /proc.
 * @returns {Record<string, number>}
 */
export function processorTimes() {
  const { engines } = readState();
  const times = [...startedHere].map((key) => {
    const processes = engines[key]?.nodes.flatMap(({ process }) => family(process)) ?? [];
    return [key, processes.reduce((sum, one) => sum + one.processorMs, 0)];
  });
  return Object.fromEntries(times);
}

/** Ends what `startAll` started in this process; what ran before stays. */
export async function stopAll() {
  await Promise.all([...startedHere].map(endEngine));
  startedHere.clear();
}

/** Ends the named engines of this workspace, whoever started them; all of them without names. @param {readonly string[]} [names] @returns {Promise<string[]>} the keys of those ended */
export async function endAll(names) {
  const { engines } = readState();
  const keys = Object.keys(engines).filter((key) => names?.includes(key) ?? true);
  await Promise.all(keys.map(endEngine));
  await changeState((state) => {
    state.missing = state.missing.filter(({ name }) => names !== undefined && !names.includes(name));
  });
  return keys;
}
