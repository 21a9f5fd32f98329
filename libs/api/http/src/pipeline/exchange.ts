import { toServiceError } from '@carillon/errors';
import type { Done, Mark } from '@carillon/api-operations';
import type { Logger } from '@carillon/runtime';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { KnownApp } from './known-apps.js';

/** Response header of each mark, with value `true`. */
export const MARKS: Readonly<Record<Mark, string>> = {
  partial: 'X-Partial-Result',
  replayed: 'X-Idempotency-Replayed',
};

/** One request and its one answer, counted for its app once that is known for sure. */
export class Exchange {
  /** Null: not authenticated yet, so no app is counted. */
  #app: KnownApp | null = null;

  constructor(
    readonly request: HttpRequest,
    private readonly response: HttpResponse,
    private readonly log: Logger,
  ) {}

  belongsTo(app: KnownApp): void {
    this.#app = app;
    app.calls.add();
    app.bytesIn.add(this.request.bodyLength);
  }

  /** Answers, now or when it is done. */
  end(done: Done<unknown> | Promise<Done<unknown>>): void {
    if (!(done instanceof Promise)) return this.#send(done);
    void done.then(
      (ready) => this.#send(ready),
      (error: unknown) => this.fail(error),
    );
  }

  /** Sends the error. Never throws. */
  fail(error: unknown): void {
    this.response.fail(error);
    this.#count();
    this.#logFailure(error);
  }

  #send({ value, mark }: Done<unknown>): void {
    if (mark !== undefined) this.response.setHeader(MARKS[mark].toLowerCase(), 'true');
    this.response.end(JSON.stringify(value), 'application/json');
    this.#count();
  }

  #count(): void {
    if (this.#app !== null && !this.response.aborted) this.#app.bytesOut.add(this.response.bodyLength);
  }

  /** A 500 is logged by the adapter, which sees those of every route. */
  #logFailure(thrown: unknown): void {
    const { code, status, cause } = toServiceError(thrown);
    if (status === 500 || (status < 500 && !this.log.enabled('debug'))) return;
    const fields = { app_id: this.#app?.signingKey.appId, route: this.request.route, code };
    if (status > 500) this.log.warn('request failed', { ...fields, error: cause });
    else this.log.debug('request refused', fields);
  }
}
