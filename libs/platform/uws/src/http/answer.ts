import { errorBody, type ServiceError } from '@carillon/errors';

/** A complete answer as plain data, from a gate, a refusal or a hot route. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. `connection: close` ends the connection after the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text as it is; absent: an empty body. */
  readonly body?: object | string;
}

/** The one error answer of the HTTP side. */
export function errorAnswer(error: ServiceError): Answer {
  return { status: error.status, headers: error.headers, body: errorBody(error) };
}
