import { errorAnswer, LOGGING, type Logger, type Logging, type ProbeAnswer } from '@carillon/runtime';
import { ServiceError } from '@carillon/errors';
import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { catchError, map, of, type Observable } from 'rxjs';

/**
 * Writes status and headers of a handler's `ProbeAnswer` through the HTTP platform, and leaves the body to Nest. A
 * handler that throws is answered with the internal error.
 */
@Injectable()
export class AnswerInterceptor implements NestInterceptor<ProbeAnswer, string> {
  readonly #log: Logger;

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(LOGGING) logging: Logging,
  ) {
    this.#log = logging.for('service::ops');
  }

  intercept(context: ExecutionContext, next: CallHandler<ProbeAnswer>): Observable<string> {
    const response: unknown = context.switchToHttp().getResponse();
    return next.handle().pipe(
      catchError((error: unknown) => {
        this.#log.error('probe failed', { error });
        return of(errorAnswer(new ServiceError('internal_error')));
      }),
      map(({ status, headers, body }) => {
        const { httpAdapter } = this.host;
        httpAdapter.status(response, status);
        for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
        return body;
      }),
    );
  }
}
