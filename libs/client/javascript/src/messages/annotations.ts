import type { AnnotationEvent } from '../channel/events.js';
import { request, type RestParts } from './messages.js';

/** The aggregation method of an annotation type. */
export type Summarizer = 'total' | 'flag' | 'distinct' | 'unique' | 'multiple';

/** `reactions:distinct.v1` and the like. */
export type AnnotationType = `${string}:${Summarizer}.v1`;

/** An annotation of a message. */
export interface Annotation {
  readonly type: AnnotationType;
  /** For `distinct`, `unique` and `multiple`: the name that is counted. */
  readonly name?: string;
  /** The owner of the annotation; absent: the user of this connection. */
  readonly clientId?: string;
  readonly count?: number;
  readonly data?: unknown;
  readonly encoding?: string;
}

/** Selects annotations. */
export interface AnnotationsOptions {
  readonly type?: AnnotationType;
  readonly limit?: number;
  /** The cursor returned with the previous page. */
  readonly cursor?: string;
}

/** Annotations of the messages of one channel. Their summaries arrive with the channel's event `summary`. */
export class Annotations {
  constructor(
    private readonly channel: string,
    private readonly parts: RestParts,
  ) {}

  /** Returns the annotation's serial. */
  async create(messageSerial: string, annotation: Annotation): Promise<string> {
    const body = { ...annotation, socketId: this.parts.actor() ?? undefined };
    const path = this.#path(messageSerial);
    const answer = await request(this.parts, { method: 'POST', path, body });
    return (answer as { annotationSerial: string }).annotationSerial;
  }

  async delete(messageSerial: string, annotationSerial: string): Promise<void> {
    const path = `${this.#path(messageSerial)}/${encodeURIComponent(annotationSerial)}`;
    await request(this.parts, { method: 'DELETE', path, query: this.#asActor() });
  }

  async list(
    messageSerial: string,
    { type, limit, cursor }: AnnotationsOptions = {},
  ): Promise<{ readonly items: readonly AnnotationEvent[]; readonly cursor: string | null }> {
    const query = {
      ...(type === undefined ? {} : { type }),
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(cursor === undefined ? {} : { from_serial: cursor }),
      ...this.#asActor(),
    };
    const answer = await request(this.parts, { method: 'GET', path: this.#path(messageSerial), query });
    const { items, nextCursor } = answer as { items: readonly AnnotationEvent[]; nextCursor: string | null };
    return { items, cursor: nextCursor };
  }

  #asActor(): Readonly<Record<string, string>> {
    const actor = this.parts.actor();
    return actor === null ? {} : { socket_id: actor };
  }

  #path(messageSerial: string): string {
    const of = `${encodeURIComponent(this.channel)}/messages/${encodeURIComponent(messageSerial)}`;
    return `/channels/${of}/annotations`;
  }
}
