// Starts one engine and ends it again, keeping the state true at every step: whatever is killed in between, the
// warden finds what is left.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { containerNode } from './acquire/docker.js';
import { eventually } from './pause.js';
import { end, killNow } from './processes/control.js';
import { isAlive, ownIdentity } from './processes/identity.js';
import { launch, logEnd } from './processes/launch.js';
import { freePorts } from './processes/ports.js';
import { reasonOf } from './say.js';
import { home } from './state/folder.js';
import { changeState, readState } from './state/state.js';
import { ensureWarden } from './warden-start.js';
import { withWire } from './wire/wire.js';

/** @import { Engine, Identity, Options, Plan, RunningEngine, RunningNode, Site, Tools } from './types.js' */

const READY_LIMIT_MS = 60_000;
/** An image may have to be fetched first. */
const CONTAINER_READY_LIMIT_MS = 600_000;
const ATTEMPTS = 2;

/**
 * @typedef {object} Terms
 * @property {string} key its name in the state
 * @property {Identity | null} owner the process it ends with; null for one that is ended by hand
 * @property {number} lifetimeMs
 * @property {Options} options
 */

/** @param {Engine} engine @param {Site} site @returns {Promise<Plan>} */
async function planFor(engine, site) {
  const { service, containerUrl } = engine;
  if (!site.tools.container || service === undefined || containerUrl === undefined) return engine.plan(site);
  const [port = 0] = site.ports;
  return { url: containerUrl(port), nodes: [containerNode({ ...engine, service }, site, port)] };
}

/** @param {string} folder @param {RunningNode[]} nodes @returns {() => string | null} */
const whyDead = (folder, nodes) => () => {
  const dead = nodes.find(({ process }) => !isAlive(process));
  return dead === undefined ? null : `its process ${dead.name} ended:\n${logEnd(folder, dead.name)}`;
};

/**
 * Waits until every node listens and the engine answers its own protocol; fails as soon as a node has ended.
 * @param {Engine} engine @param {RunningEngine} running @param {Plan | null} fresh the plan to settle; null after a restart
 */
export async function waitUntilReady(engine, { folder, url, nodes }, fresh) {
  const container = nodes.some((node) => node.container);
  const options = {
    limitMs: container ? CONTAINER_READY_LIMIT_MS : READY_LIMIT_MS,
    everyMs: 50,
    giveUp: whyDead(folder, nodes),
  };
  for (const { port } of nodes) {
    await eventually(() => withWire({ host: '127.0.0.1', port }, (wire) => wire.connected()), options);
  }
  if (fresh !== null && !container) await engine.settle?.(fresh);
  await eventually(() => engine.ready(url), options);
}

/** @param {Engine} engine @param {Tools} tools @param {Terms} terms @returns {Promise<RunningEngine>} */
async function startOnce(engine, tools, { key, owner, lifetimeMs, options }) {
  const folder = mkdtempSync(join(home(), `${engine.name}-`));
  chmodSync(folder, 0o755);
  /** @type {RunningEngine} */
  const running = {
    name: engine.name,
    url: '',
    folder,
    ready: false,
    owner: ownIdentity(),
    askedAt: Date.now(),
    lifetimeMs,
    nodes: [],
  };
  const save = () => changeState((state) => void (state.engines[key] = running));
  await save();
  await ensureWarden();
  try {
    const plan = await planFor(engine, { folder, ports: await freePorts(engine.portCount), tools, options });
    running.url = plan.url;
    for (const node of plan.nodes) {
      running.nodes.push(await launch(folder, node));
      await save();
    }
    await waitUntilReady(engine, running, plan);
    Object.assign(running, { ready: true, owner, askedAt: Date.now() });
    await save();
    return running;
  } catch (error) {
    const logs = running.nodes.map(({ name }) => logEnd(folder, name)).filter((text) => text !== '');
    await endEngine(key);
    throw new Error([`${engine.name} does not start: ${reasonOf(error)}`, ...logs].join('\n'), {
      cause: error,
    });
  }
}

/** Starts the engine; once more with other ports when somebody took one of the first. @param {Engine} engine @param {Tools} tools @param {Terms} terms */
export async function startEngine(engine, tools, terms) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(engine, tools, terms);
    } catch (error) {
      const taken = /address( already)? in use|EADDRINUSE/i.test(String(error));
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Ends the engine's processes, removes its folder, and only then forgets it. @param {string} key */
export async function endEngine(key) {
  const running = readState().engines[key];
  if (running === undefined) return;
  await Promise.all(running.nodes.map(end));
  rmSync(running.folder, { recursive: true, force: true });
  await changeState((state) => void delete state.engines[key]);
}

/** The same within one tick, for a process that is about to exit; the warden tidies the state. @param {string} key */
export function endEngineNow(key) {
  const running = readState().engines[key];
  if (running === undefined) return;
  running.nodes.forEach(killNow);
  rmSync(running.folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
}

/** True when it is started and all its processes live. @param {RunningEngine | undefined} running */
export const isRunning = (running) =>
  running !== undefined && running.ready && running.nodes.every(({ process }) => isAlive(process));
