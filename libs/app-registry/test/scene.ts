import type { AppRecord } from '@carillon/config';
import { onTestFinished } from 'vitest';
import {
  AppRegistry,
  type AppChange,
  type AppRegistryOptions,
  type AppRegistryParts,
  type RegistryLog,
} from '../src/index.js';
import { RemoteStore } from './remote-store.js';
import { OPTIONS } from './samples.js';

/** A manual clock. */
export class Clock {
  ms = 0;
  readonly now = (): number => this.ms;
  pass(seconds: number): void {
    this.ms += seconds * 1000;
  }
}

/** A promise with its resolver. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const waiting = new AbortController();
  const opened = new Promise<void>((resolve) => {
    waiting.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { opened, open: () => waiting.abort() };
}

/** Holds the answer to the next read; `read` resolves when the store was read. */
export function holdOneRead(store: RemoteStore): {
  readonly read: Promise<void>;
  readonly answer: () => void;
} {
  const read = gate();
  const answer = gate();
  store.pause = () => {
    store.pause = async () => {};
    read.open();
    return answer.opened;
  };
  return { read: read.opened, answer: answer.open };
}

export interface Scene {
  readonly registry: AppRegistry;
  readonly store: RemoteStore;
  readonly clock: Clock;
  readonly changes: AppChange[];
  readonly lines: string[];
}

export interface SceneOptions extends Partial<AppRegistryOptions> {
  readonly apps?: readonly AppRecord[];
  readonly parts?: Partial<AppRegistryParts>;
  readonly store?: RemoteStore;
}

/** A started registry over a remote store that holds `apps`. */
export async function scene({ apps = [], parts, store, ...more }: SceneOptions = {}): Promise<Scene> {
  const used = store ?? new RemoteStore();
  for (const app of apps) await used.rows.create(app);
  const clock = new Clock();
  const lines: string[] = [];
  const changes: AppChange[] = [];
  const log: RegistryLog = (level, message, fields) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  const registry = new AppRegistry({ ...OPTIONS, ...more }, { store: used, now: clock.now, log, ...parts });
  registry.onChange((change) => changes.push(change));
  onTestFinished(() => registry.close());
  await registry.start();
  return { registry, store: used, clock, changes, lines };
}
