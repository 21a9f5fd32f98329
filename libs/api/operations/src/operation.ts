import { ServiceError } from '@carillon/errors';
import type { AppRate } from './app-rate.js';
import type { Caller } from './caller.js';
import type { Description, InputOf, Mark, ResultOf } from './describe/description.js';
import type { JsonBody } from './json/json-body.js';

/** Result of an operation. */
export interface Done<Value> {
  readonly value: Value;
  readonly mark?: Mark;
}

/** Implementation of an operation. */
export type Work<One extends Description> = (
  caller: Caller,
  input: InputOf<One>,
) => Done<ResultOf<One>> | Promise<Done<ResultOf<One>>>;

/** An operation as faces call it. */
export interface Operation<Input, Value> {
  readonly description: Description;
  /**
   * Carries it out: enabled flag, rate of the app, rights, then the rules of the operation itself. At once when nothing
   * has to be waited for, as with a publish in one process.
   *
   * @throws ServiceError, or rejects with it, for everything that keeps it from being done.
   */
  perform(caller: Caller, input: Input): Done<Value> | Promise<Done<Value>>;
}

/** Runs the checks common to all operations before the work. */
export class Admitted<One extends Description> implements Operation<InputOf<One>, ResultOf<One>> {
  constructor(
    readonly description: One,
    private readonly rate: AppRate,
    private readonly work: Work<One>,
  ) {}

  perform(
    caller: Caller,
    input: InputOf<One> & { readonly body?: JsonBody },
  ): Done<ResultOf<One>> | Promise<Done<ResultOf<One>>> {
    if (!caller.app.enabled) throw new ServiceError('forbidden', { text: 'app is disabled' });
    const { rate, cost } = this.description;
    if (rate === null || caller.isCounted === true) return this.work(caller, input);
    const { body } = input;
    const events = (): number => (cost === undefined || body === undefined ? 1 : cost(body));
    const waiting = this.rate.admit(caller, rate, events);
    return waiting === null ? this.work(caller, input) : waiting.then(() => this.work(caller, input));
  }
}
