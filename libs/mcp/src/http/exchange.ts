import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import type { CallContext } from '../calls/context.js';
import type { Principal } from '../guards/principals.js';

/** A request whose sender is known, and its answer. */
export class Exchange {
  readonly requestId = randomUUID();

  constructor(
    readonly request: HttpRequest,
    readonly response: HttpResponse,
    readonly principal: Principal,
  ) {}

  header(name: string): string | undefined {
    return this.request.headers[name];
  }

  /** The request as a message of it is performed in. */
  context(more: Pick<CallContext, 'era' | 'session' | 'client' | 'signal'>): CallContext {
    return {
      requestId: this.requestId,
      principal: this.principal,
      remoteIp: this.request.ip,
      ...more,
    };
  }
}
