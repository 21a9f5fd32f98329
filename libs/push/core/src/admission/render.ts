import {
  InvalidPayload,
  type JsonObject,
  type Provider,
  type RenderedPayload,
  renderPayload,
} from '@carillon/push-providers';
import type { StoredTemplate } from '@carillon/push-store';
import { invalid } from '../fields.js';
import type { PayloadRequest } from './request.js';
import { type Content, contentFor, fillContent } from './templates.js';

/** Renders a publish for every provider. `template` null: none is used. */
export function renderPublish(
  { content, data }: PayloadRequest,
  overrides: ReadonlyMap<Provider, JsonObject>,
  template: StoredTemplate | null,
  providers: readonly Provider[],
): RenderedPayload[] {
  const locales = template === null ? {} : (JSON.parse(template.locales) as Record<string, Content>);
  const base = template === null ? {} : contentFor(locales, template.defaultLocale, data['locale']);
  const notification = fillContent({ ...base, ...content }, data);
  const ofTemplate =
    template === null ? {} : (JSON.parse(template.overrides) as Record<string, { payload: unknown }>);
  try {
    return providers.map((provider) =>
      renderPayload(provider, notification, overrides.get(provider) ?? ofTemplate[provider]?.payload),
    );
  } catch (error) {
    if (error instanceof InvalidPayload) throw invalid(error.message);
    throw error;
  }
}
