import { randomUUID } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { RenderedPayload } from '@carillon/push-providers';
import { canonicalJson, sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { renderedFor } from '../stages.js';
import { renderPublish } from './render.js';
import type { PublishRequest } from './request.js';

/** A publish that has been read and rendered, and may be accepted. */
export interface Prepared {
  readonly appId: string;
  readonly publishId: string;
  readonly request: PublishRequest;
  readonly rendered: readonly RenderedPayload[];
  readonly bodyHash: string;
}

/** Renders the publish for every provider. */
export async function prepare(
  { store, config }: PushParts,
  appId: string,
  request: PublishRequest,
): Promise<Prepared> {
  const { templateId } = request.payload;
  const template = templateId === null ? null : await store.template(appId, templateId);
  if (templateId !== null && template === null) {
    throw new ServiceError('invalid_input', { text: 'the template does not exist' });
  }
  const rendered = renderPublish(request.payload, request.overrides, template, renderedFor(config));
  const { publishId, idempotencyKey: _key, overrides, ...said } = request;
  const sorted = [...overrides].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const bodyHash = sha256(canonicalJson({ ...said, overrides: sorted }));
  return { appId, publishId: publishId ?? randomUUID(), request, rendered, bodyHash };
}
