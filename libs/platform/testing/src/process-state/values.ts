import http from 'node:http';
import https from 'node:https';

/** Names of state of a process, with the values they have now. */
export type Values = ReadonlyMap<string, unknown>;

/** Globals of Node, listed before a test can add some: libraries define helpers of their own at import. */
const GLOBALS = Reflect.ownKeys(globalThis);

/** Agent of `fetch`; undici and Node keep it under this name, and replace it by a setter. */
const FETCH_AGENT = Symbol.for('undici.globalDispatcher.1');

/** Modules register these once, when they are loaded, for the rest of the process. */
const REGISTERED_AT_IMPORT: ReadonlySet<string | symbol> = new Set(['exit', 'beforeExit']);

/** Returns the process-wide values that a test can change: environment, globals, listeners, working directory, HTTP agents. */
export function processValues(): Values {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(process.env)) values.set(`process.env.${name}`, value);
  for (const name of GLOBALS) {
    const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
    // Node loads some globals at the first read, which replaces a getter; reading it here would load them all.
    if (descriptor !== undefined && 'value' in descriptor)
      values.set(`globalThis.${String(name)}`, descriptor.value);
  }
  for (const name of process.eventNames()) {
    if (REGISTERED_AT_IMPORT.has(name)) continue;
    values.set(`the number of listeners of process for "${String(name)}"`, process.listenerCount(name));
  }
  values.set('http.globalAgent', http.globalAgent);
  values.set('https.globalAgent', https.globalAgent);
  // `fetch` sets its agent when it is loaded.
  const fetchAgent: unknown = Reflect.get(globalThis, FETCH_AGENT);
  if (fetchAgent !== undefined) values.set('globalThis.fetch agent', fetchAgent);
  values.set('process.cwd()', process.cwd());
  values.set('process.exitCode', process.exitCode);
  return values;
}

/** Names the values that differ. Globals that were not loaded before are no difference. */
export function changedValues(before: Values, after: Values): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => {
    if (name.startsWith('globalThis.') && !before.has(name)) return false;
    return !Object.is(before.get(name), after.get(name));
  });
}
