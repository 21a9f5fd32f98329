import type { JsonObject } from '../json.js';
import type { Provider } from '../provider.js';

/** What a publish says, before any provider's form: locale chosen, placeholders filled. Absent: not said. */
export interface Notification {
  readonly title?: string;
  readonly body?: string;
  /** An https address. */
  readonly icon?: string;
  readonly sound?: string;
  /** Notifications of one key replace each other. */
  readonly collapseKey?: string;
  readonly data: JsonObject;
}

/** A notification or an override cannot be put into the form of a provider. The text is for the caller. */
export class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';

  constructor(
    readonly provider: Provider,
    text: string,
  ) {
    super(text);
  }
}

/** The device is given data to work with and shows nothing by itself. */
export const isDataOnly = ({ title, body }: Notification): boolean =>
  title === undefined && body === undefined;

/** Absent when there is none. */
export const dataOrNothing = ({ data }: Notification): JsonObject | undefined =>
  Object.keys(data).length === 0 ? undefined : data;
