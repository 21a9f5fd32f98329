import { createHash } from 'node:crypto';
import { cacheKeys } from '@carillon/contracts';
import { jsonBody, type MessageReceipts, type Operations } from '@carillon/api-operations';
import type { Principal } from './authentication.js';
import { callerOf, mayDo, NOT_GRANTED, type Via } from './caller.js';
import { CompatError } from './compat-error.js';
import type { Annotation } from './message/annotation.js';
import { orRefused } from './refusal.js';

/** Finds stored annotations. */
export interface AnnotationFinder {
  /** Returns the latest annotation that was not deleted, or null if there is none. Rejects if it cannot be read. */
  latestAnnotation(
    place: { readonly appId: string; readonly channel: string; readonly messageSerial: string },
    like: { readonly type: string; readonly clientId: string; readonly name: string | null },
  ): Promise<string | null>;
}

/** An annotation request with its principal. */
export interface AnnotationRequest {
  readonly principal: Principal;
  /** The channel without its qualifier. */
  readonly base: string;
  readonly annotation: Annotation;
  readonly via: Via;
}

/** Dependencies of annotations. */
export interface AnnotationParts {
  readonly operations: Pick<Operations, 'annotateMessage' | 'deleteAnnotation'>;
  /** Null: this process has no way to them. */
  readonly finder: AnnotationFinder | null;
  /** Deduplicates requests by id. */
  readonly receipts: Pick<MessageReceipts, 'once'>;
  readonly keptMs: number;
  readonly isEnabled: boolean;
}

/** Annotates messages and takes that back, for both faces. */
export class Annotations {
  constructor(private readonly parts: AnnotationParts) {}

  /**
   * Does it; of one with an id, once. Returns the serial of the annotation.
   *
   * @throws CompatError, or rejects with it.
   */
  async apply(request: AnnotationRequest): Promise<string> {
    this.check(request);
    if (request.annotation.isDelete) return this.#remove(request);
    return request.annotation.id === null
      ? this.#add(request)
      : this.#addOnce(request, request.annotation.id);
  }

  /** @throws CompatError for a request that is refused without reading the message. */
  check({ principal, base, annotation }: AnnotationRequest): void {
    if (!this.parts.isEnabled) throw new CompatError(40_000, 'messages are not annotated here');
    if (!annotation.isDelete) {
      if (!mayDo(principal, 'annotation-publish', base)) throw new CompatError(40_160, NOT_GRANTED);
      return;
    }
    const [any, own] = ['any', 'own'].map((whose) => mayDo(principal, `annotation-delete-${whose}`, base));
    const isOwn = annotation.clientId === principal.clientId;
    if (any !== true && (own !== true || (annotation.serial === null && !isOwn)))
      throw new CompatError(40_160, NOT_GRANTED);
    if (principal.clientId === null || principal.clientId === '*')
      throw new CompatError(40_012, 'only an identified client takes annotations back');
  }

  async #addOnce(request: AnnotationRequest, id: string): Promise<string> {
    const { principal, base, annotation } = request;
    const fingerprint = createHash('sha256').update(JSON.stringify(annotation)).digest('hex');
    const key = `compat-annotation:${annotation.messageSerial}\0${id}`;
    const name = cacheKeys.publish(principal.app.id, base, key);
    const add = async () => ({ messageId: await this.#add(request) });
    const { receipt } = await orRefused(this.parts.receipts.once(name, fingerprint, this.parts.keptMs, add));
    return receipt.messageId;
  }

  async #add({ principal, base, annotation, via }: AnnotationRequest): Promise<string> {
    const { type, name, clientId, count, data, encoding, messageSerial } = annotation;
    const body = jsonBody({
      type,
      ...(name === null ? {} : { name }),
      ...(clientId === null ? {} : { clientId }),
      ...(count === null ? {} : { count }),
      ...(data === null ? {} : { data }),
      ...(encoding === null ? {} : { encoding }),
    });
    const caller = callerOf(principal, via);
    const input = { channel: base, message_serial: messageSerial, body };
    const { value } = await orRefused(this.parts.operations.annotateMessage.perform(caller, input));
    return value.annotationSerial;
  }

  async #remove({ principal, base, annotation, via }: AnnotationRequest): Promise<string> {
    const { messageSerial, type, name, clientId } = annotation;
    const place = { appId: principal.app.id, channel: base, messageSerial };
    const like = { type, name, clientId: clientId ?? principal.clientId ?? '' };
    const serial = annotation.serial ?? (await this.#find(place, like));
    if (serial === null) throw new CompatError(40_400, 'there is no such annotation');
    const caller = callerOf(principal, via, ['annotation-delete-own']);
    const granted = mayDo(principal, 'annotation-delete-any', base) ? caller : callerOf(principal, via);
    const input = { channel: base, message_serial: messageSerial, annotation_serial: serial };
    const { value } = await orRefused(this.parts.operations.deleteAnnotation.perform(granted, input));
    return value.annotationSerial;
  }

  #find(...[place, like]: Parameters<AnnotationFinder['latestAnnotation']>): Promise<string | null> {
    const { finder } = this.parts;
    if (finder === null) throw new CompatError(50_003, 'no way to the annotations');
    return orRefused(finder.latestAnnotation(place, like));
  }
}
