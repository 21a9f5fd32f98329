import type { JsonObject } from '../json.js';
import type { Provider } from '../provider.js';

/** Provider-independent notification with locale chosen and placeholders filled. Absent members are unset. */
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

/** Whether the notification only carries data and shows nothing. */
export const isDataOnly = ({ title, body }: Notification): boolean =>
  title === undefined && body === undefined;

/** Absent if empty. */
export const dataOrNothing = ({ data }: Notification): JsonObject | undefined =>
  Object.keys(data).length === 0 ? undefined : data;
