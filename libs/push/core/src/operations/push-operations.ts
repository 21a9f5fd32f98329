import { PUSH_ROUTES, type PushRouteName } from '../routes.js';
import type { PushService } from '../service.js';
import { PushAsk, type PushAskParts, type PushInput } from './ask.js';
import { type PushDone, pushWork } from './work.js';

/** Push operations for every transport, by their names in `PUSH_ROUTES`. */
export class PushOperations {
  readonly #work: ReturnType<typeof pushWork>;

  constructor(
    private readonly push: PushService,
    private readonly parts: PushAskParts,
  ) {
    this.#work = pushWork(push);
  }

  /** Public key for browser subscriptions of the app; null: Web Push is not configured. */
  webKey(appId: string): Promise<string | null> {
    return this.push.webKey(appId);
  }

  /**
   * Carries it out: enabled flag and capability, then the rules of the operation itself.
   *
   * Rejects with a ServiceError for everything that keeps it from being done.
   */
  async perform(name: PushRouteName, input: PushInput): Promise<PushDone> {
    return this.#work[name](new PushAsk(input, this.parts, PUSH_ROUTES[name].forDevices));
  }
}
