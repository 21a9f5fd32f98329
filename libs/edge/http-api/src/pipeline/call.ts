import type { App } from '@carillon/app-registry';
import type { HttpRequest } from '@carillon/uws';
import type { Parameter } from '../describe/parameter.js';
import { always, object } from '../describe/shape.js';
import { readJsonBody, type JsonBody } from '../json/json-body.js';
import type { Ready } from './when-ready.js';

/** A request of which is known who sent it: its app and every parameter are covered by the signature. */
export class Call {
  #body: JsonBody | undefined;

  constructor(
    readonly app: App,
    /** Query parameters, decoded, by the names as written. */
    private readonly query: ReadonlyMap<string, string>,
    private readonly request: HttpRequest,
  ) {}

  /**
   * The body as JSON, parsed when first asked for.
   *
   * @throws ServiceError `invalid_input` when it is not a JSON object.
   */
  get body(): JsonBody {
    this.#body ??= readJsonBody(this.request.rawBody);
    return this.#body;
  }

  /**
   * A segment of the path, percent-decoded once.
   *
   * @throws ServiceError `invalid_input` when it is not valid UTF-8.
   */
  pathParameter(name: string): string {
    return this.request.params[name] ?? '';
  }

  /** Undefined when the request has no such parameter. */
  parameter({ in: place, name }: Parameter): string | undefined {
    return place === 'query' ? this.query.get(name) : this.request.header(name.toLowerCase());
  }
}

/** What a call is answered with, always with status 200: everything else is thrown. */
export interface Reply {
  /** JSON. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer of everything that has nothing to tell. */
export const OK: Reply = { text: '{"ok":true}' };
export const OK_SHAPE = object({ ok: always(true, 'It is done.') });

/** What answers a route of the signed API. */
export interface Endpoint {
  /** How much a call counts; absent: 1. Must not throw. Asked only where a limit is set. */
  cost?(call: Call): number;
  /** @throws ServiceError for every answer that is not 200. */
  answer(call: Call): Ready<Reply>;
}
