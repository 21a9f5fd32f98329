// What a test holds of an engine.
import { randomBytes } from 'node:crypto';
import { parse } from './address.js';
import { kill, pauseNode, resumeNode } from './processes/control.js';
import { launch } from './processes/launch.js';
import { endEngine, waitUntilReady } from './start.js';
import { changeState, readState } from './state/state.js';

/** @import { Engine, Isolation, RunningEngine, RunningNode } from './types.js' */

/** Where an engine comes from: named by the environment, shared by this workspace, or started for this process. */
/** @typedef {'environment' | 'shared' | 'own'} Origin */

export class EngineHandle {
  #engine;
  #key;

  /** @param {Engine} engine @param {string} url @param {Origin} origin @param {string} key its name in the state */
  constructor(engine, url, origin, key) {
    const { host, port } = parse(url);
    this.#engine = engine;
    this.#key = key;
    this.name = engine.name;
    /** One URL, or several joined by commas when the engine has several doors. */
    this.url = url;
    this.urls = url.split(',');
    this.host = host;
    this.port = port;
    this.origin = origin;
  }

  /** A corner of its own for one test file: a database where there are databases, a unique prefix elsewhere. @returns {Promise<Isolation>} */
  async isolate() {
    const name = `t_${Date.now().toString(36)}_${randomBytes(5).toString('hex')}`;
    const { isolate } = this.#engine;
    return isolate === undefined
      ? { name, url: this.url, end: async () => undefined }
      : isolate(this.url, name);
  }

  /** Resolves when it answers its own protocol, rejects when it does not. */
  ready() {
    return this.#engine.ready(this.url);
  }

  /** Its processes by name: `main`, or the members of a cluster; none when it is given by the environment. */
  get nodes() {
    if (this.origin === 'environment') return [];
    return (readState().engines[this.#key]?.nodes ?? []).map(({ name, port, process: { pid } }) => ({
      name,
      port,
      pid,
    }));
  }

  /** @param {string | undefined} node @returns {{ running: RunningEngine, chosen: RunningNode[] }} */
  #controlled(node) {
    if (this.origin !== 'own') {
      throw new Error(
        `${this.name} is used by others too; ask for engine('${this.name}', { own: true }) to control it`,
      );
    }
    const running = readState().engines[this.#key];
    if (running === undefined) throw new Error(`${this.name} has been released`);
    const chosen = running.nodes.filter(({ name }) => node === undefined || name === node);
    if (chosen.length === 0) throw new Error(`${this.name} has no node ${node}`);
    return { running, chosen };
  }

  /** Ends one node, or all, as a crash would. Only for an own engine, as all that follows. @param {string} [node] */
  async kill(node) {
    await Promise.all(this.#controlled(node).chosen.map(kill));
  }

  /** Stops the processes where they are: connections stay open, nothing answers. @param {string} [node] */
  async pause(node) {
    await Promise.all(this.#controlled(node).chosen.map(pauseNode));
  }

  /** Ends a pause. @param {string} [node] */
  async resume(node) {
    await Promise.all(this.#controlled(node).chosen.map(resumeNode));
  }

  /** Starts one node, or all, again on the same port and data, ended first if they live; resolves when they answer. @param {string} [node] */
  async restart(node) {
    const { running, chosen } = this.#controlled(node);
    await Promise.all(chosen.map(kill));
    for (const old of chosen) {
      const next = await launch(running.folder, old);
      await changeState((state) => {
        const nodes = state.engines[this.#key]?.nodes ?? [];
        nodes.splice(
          nodes.findIndex(({ name }) => name === old.name),
          1,
          next,
        );
      });
    }
    const { nodes } = this.#controlled(node).running;
    const restarted = nodes.filter(({ name }) => chosen.some((one) => one.name === name));
    await waitUntilReady(this.#engine, { ...running, nodes: restarted }, null);
  }

  /** Ends it if it was started for this process; leaves one that others use. */
  async release() {
    if (this.origin === 'own') await endEngine(this.#key);
  }
}
