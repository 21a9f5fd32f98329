import {
  callerOf,
  type CompatCore,
  CompatError,
  fromListed,
  inFormat,
  isObject,
  messageRules,
  orRefused,
  readAnnotation,
} from '@carillon/ably-core';
import type { Operations } from '@carillon/api-operations';
import type { Entry } from './access.js';
import { type Ask, formatOfAnswer, type Reply } from './exchange.js';
import { cursorOf, limitOf, linkTo, placeOf } from './paging.js';

const MAX_ANNOTATIONS = 1000;
const WRITING = ['annotation-publish', 'annotation-delete-own', 'annotation-delete-any'];
const KEPT = ['limit', 'type', 'format'];

/** Adds and lists annotations of messages. */
export class AnnotationRoutes {
  constructor(
    private readonly core: CompatCore,
    private readonly operations: Pick<Operations, 'listAnnotations'>,
    private readonly entry: Entry,
    private readonly maxPageSize: number,
  ) {}

  readonly add = async (ask: Ask): Promise<Reply> => {
    const { principal, name } = await this.entry.channel(ask, WRITING);
    const serial = ask.request.params['serial'] ?? '';
    const body = ask.body();
    const values: readonly unknown[] = Array.isArray(body) ? body : isObject(body) ? [body] : [];
    if (values.length === 0 || values.length > MAX_ANNOTATIONS)
      throw new CompatError(40_000, `one to ${MAX_ANNOTATIONS} annotations are needed`);
    const rules = messageRules(principal.app);
    const requests = values.map((value) => ({
      principal,
      base: name.base,
      annotation: readAnnotation(value, serial, principal, rules),
      via: 'rest' as const,
    }));
    for (const request of requests) this.core.annotations.check(request);
    for (const request of requests) await this.core.annotations.apply(request);
    await this.entry.inbound(
      principal,
      requests.map(({ annotation }) => annotation),
    );
    return { status: 201, body: {} };
  };

  readonly list = async (ask: Ask): Promise<Reply> => {
    const { principal, name } = await this.entry.channel(ask, ['annotation-subscribe']);
    const serial = ask.request.params['serial'] ?? '';
    const { type, cursor } = ask.query;
    const limit = Math.min(limitOf(ask.query, MAX_ANNOTATIONS), this.maxPageSize);
    const about = ['annotations', principal.app.id, name.base, serial, type];
    const after = placeOf(about, cursor);
    const { value } = await orRefused(
      this.operations.listAnnotations.perform(callerOf(principal, 'rest'), {
        channel: name.base,
        message_serial: serial,
        limit: String(limit),
        ...(type === undefined ? {} : { type }),
        ...(after === undefined ? {} : { from_serial: after }),
      }),
    );
    const format = formatOfAnswer(ask);
    const shown = value.items.flatMap((item) => fromListed(item) ?? []);
    this.entry.outbound(principal, shown);
    const body = shown.map((one) => inFormat(one, format));
    const next = value.hasMore ? value.nextCursor : null;
    const links = {
      first: linkTo(ask, KEPT, null),
      ...(next === null ? {} : { next: linkTo(ask, KEPT, cursorOf(about, next)) }),
    };
    return { status: 200, body, links };
  };
}
