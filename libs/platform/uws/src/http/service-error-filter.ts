import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { HttpResponse } from './response.js';

/** Answers everything a controller, guard, pipe or interceptor throws with the one error body. */
@Catch()
export class ServiceErrorFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<HttpResponse>().fail(exception);
  }
}
