// One engine for one test: the environment's, the workspace's, or one for this process alone.
import { acquire } from './acquire/acquire.js';
import { fromEnvironment } from './address.js';
import { enginesNamed } from './catalogue.js';
import { EngineHandle } from './handle.js';
import { ownIdentity } from './processes/identity.js';
import { endEngineNow, isRunning, startEngine } from './start.js';
import { readState } from './state/state.js';
import { DEFAULT_LIFETIME_MS, touch, whyMissing } from './together.js';

/** @import { Engine, Missing } from './types.js' */

/** An engine that cannot be had here; the message names it and says why. */
export class MissingEngine extends Error {
  /** @param {Missing} missing */
  constructor({ name, reason }) {
    super(`the engine ${name} is missing: ${reason}`);
    this.name = 'MissingEngine';
    this.engine = name;
    this.reason = reason;
  }
}

let count = 0;
/** @type {Set<string>} */
const ownKeys = new Set();
/** Whether the end of this process ends them. */
let endsOwn = false;
/** @type {Map<string, Promise<EngineHandle>>} */
const once = new Map();

/** @param {Engine} engine @param {boolean} durable */
async function startOwn(engine, durable) {
  const reason = whyMissing(engine.name);
  if (reason !== null) throw new MissingEngine({ name: engine.name, reason });
  const { tools, missing } = await acquire([engine]);
  const found = tools.get(engine.name);
  if (found === undefined) throw new MissingEngine(missing[0] ?? { name: engine.name, reason: 'unknown' });
  const key = `${engine.name}@${process.pid}.${++count}`;
  if (!endsOwn) process.once('exit', () => ownKeys.forEach(endEngineNow));
  endsOwn = true;
  ownKeys.add(key);
  const terms = { key, owner: ownIdentity(), lifetimeMs: DEFAULT_LIFETIME_MS, options: { durable } };
  const { url } = await startEngine(engine, found, terms);
  return new EngineHandle(engine, url, 'own', key);
}

/** @param {Engine} engine @param {boolean} durable */
async function findOrStart(engine, durable) {
  const { name } = engine;
  const url = fromEnvironment(name);
  if (url !== null) return new EngineHandle(engine, url, 'environment', name);
  const running = readState().engines[name];
  if (running === undefined || !isRunning(running)) return startOwn(engine, durable);
  await touch(name);
  return new EngineHandle(engine, running.url, 'shared', name);
}

/**
 * The named engine, ready to use: the one `CARILLON_ENGINE_<NAME>` names, else the one running for this workspace,
 * else one started for this process, which ends with it. Rejects with `MissingEngine` when it cannot be had.
 *
 * With `own`, always a new one that only the caller has, so that it may be killed, paused and restarted; `durable`
 * makes a database started here flush every commit to disk.
 * @param {string} name
 * @param {{ own?: boolean, durable?: boolean }} [options]
 * @returns {Promise<EngineHandle>}
 */
export async function engine(name, { own = false, durable = false } = {}) {
  const [found] = enginesNamed([name]);
  if (found === undefined) throw new Error(`no engine is called ${name}`);
  if (own) return startOwn(found, durable);
  const before = once.get(name);
  if (before !== undefined) return before;
  const starting = findOrStart(found, durable);
  once.set(name, starting);
  starting.catch(() => once.delete(name));
  return starting;
}
