import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { Reply } from './call.js';
import type { KnownApp } from './known-apps.js';
import type { Ready } from './when-ready.js';

/** One request and its one answer, counted for its app once that is known for sure. */
export class Exchange {
  /** Null: nobody has proved to be an app yet, so nobody's numbers grow. */
  #app: KnownApp | null = null;

  constructor(
    readonly request: HttpRequest,
    private readonly response: HttpResponse,
  ) {}

  belongsTo(app: KnownApp): void {
    this.#app = app;
    app.calls.add();
    app.bytesIn.add(this.request.bodyLength);
  }

  /** Sends the reply, now or when it is there. */
  end(reply: Ready<Reply>): void {
    if (!(reply instanceof Promise)) return this.#send(reply);
    void reply.then(
      (ready) => this.#send(ready),
      (error: unknown) => this.fail(error),
    );
  }

  /** Sends the error. Never throws. */
  fail(error: unknown): void {
    this.response.fail(error);
    this.#count();
  }

  #send({ text, headers }: Reply): void {
    for (const name in headers) this.response.setHeader(name, headers[name] ?? '');
    this.response.end(text, 'application/json');
    this.#count();
  }

  #count(): void {
    if (this.#app !== null && !this.response.aborted) this.#app.bytesOut.add(this.response.bodyLength);
  }
}
