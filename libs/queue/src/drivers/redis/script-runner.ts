import { QueueUnavailable } from '../../failures.js';
import type { Reliability } from '../../options.js';
import { partKey, queueId, type Part } from './keys.js';
import type { QueueLink } from './link.js';
import type { QueueScript } from './script.js';

type Argument = number | string;

/** Runs scripts on the keys of a queue, by their hash while the server knows it, else by their text. */
export class ScriptRunner {
  constructor(
    private readonly link: QueueLink,
    private readonly prefix: string,
    private readonly reliability: Reliability,
  ) {}

  /** Rejects with `QueueUnavailable`; effects before the failure, if the script ran, are kept. */
  async run(script: QueueScript, queue: string, args: readonly Argument[]): Promise<unknown> {
    const id = queueId(queue);
    const keys = script.parts.map((part) => partKey(this.prefix, id, part));
    const settings = script.settings.map((setting) => this.reliability[setting]);
    const rest = [keys.length, ...keys, ...settings, ...args];
    try {
      return await this.link.call('evalsha', script.sha1, ...rest);
    } catch (error) {
      if (!isUnknownScript(error)) throw unavailable(error);
    }
    return this.#call('eval', script.lua, ...rest);
  }

  /** One command on one part of a queue. */
  async call([command, part, ...args]: readonly [string, Part, ...Argument[]], queue: string) {
    return this.#call(command, partKey(this.prefix, queueId(queue), part), ...args);
  }

  async #call(command: string, ...args: readonly Argument[]): Promise<unknown> {
    try {
      return await this.link.call(command, ...args);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const isUnknownScript = (error: unknown) => error instanceof Error && error.message.startsWith('NOSCRIPT');

const unavailable = (cause: unknown) =>
  new QueueUnavailable('the store of the queue did not answer as it should', { cause });
