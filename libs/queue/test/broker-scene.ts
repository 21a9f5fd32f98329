import type { EngineHandle } from '@carillon/test-backends';
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openQueue, type Queue } from '../src/index.js';
import { configuration } from '@carillon/testing';
import { quick, recordingLog, type OpenOptions, type Scene } from './scene.js';
import { type SeverableWay, severableWay } from './severable.js';

/** A broker that keeps the states of jobs, and how to come to it. */
export interface BrokerKind {
  readonly driver: string;
  /** The variables that lead to it. */
  readonly environment: (address: string, prefix: string) => Record<string, string>;
  /** Settings without a variable. Absent: none. */
  readonly file?: (address: string, prefix: string) => string;
  /** Puts a text that is no job into a queue. */
  readonly poison: (address: string, prefix: string, queue: string, text: string) => Promise<void>;
  /** Opens the connection that a test can sever. Absent: a plain TCP proxy. */
  readonly way?: (target: { host: string; port: number }) => Promise<SeverableWay>;
}

export interface BrokerScene extends Scene {
  readonly prefix: string;
  readonly environment: Record<string, string>;
  cut(queue: Queue): void;
  poison(queue: string, text: string): Promise<void>;
}

/** A corner of a real broker. */
export function brokerScene(kind: BrokerKind, { url, host, port }: EngineHandle): BrokerScene {
  const prefix = `t-${randomUUID()}`;
  const ways = new Map<Queue, SeverableWay>();
  async function open({ onSettled, onClaimed, log, ...reliability }: OpenOptions = {}): Promise<Queue> {
    const way = await (kind.way ?? severableWay)({ host, port });
    const address = url.replace(`${host}:${port}`, `${way.host}:${way.port}`);
    const queue = await openQueue(
      kind.driver,
      {
        reliability: quick(reliability),
        log: log ?? recordingLog().log,
        observer: {
          ...(onSettled === undefined ? {} : { settled: onSettled }),
          ...(onClaimed === undefined ? {} : { claimed: onClaimed }),
        },
      },
      configuration(kind.environment(address, prefix), kind.file?.(address, prefix)),
    );
    await queue.connect();
    ways.set(queue, way);
    onTestFinished(() => queue.close());
    return queue;
  }
  return {
    prefix,
    environment: { ...kind.environment(url, prefix), CONFIG_TEXT: kind.file?.(url, prefix) ?? '' },
    open,
    cut: (queue) => ways.get(queue)?.sever(),
    poison: (queue, text) => kind.poison(url, prefix, queue, text),
  };
}
