/** Token of the `PushService`, which everything that asks for push goes through. */
export const PUSH = Symbol('push');
/** Token of the `PushOperations`, which every face asks. */
export const PUSH_OPERATIONS = Symbol('push operations');
/** Token of the `PushParts`. */
export const PUSH_PARTS = Symbol('push parts');
/** Token of the `PushWorker`. */
export const PUSH_WORKER = Symbol('push worker');
/** Token of the `PushChannels`. */
export const PUSH_CHANNELS = Symbol('push channels');
/** Token, and id, of the transport that brings work of push to its handlers. */
export const PUSH_TRANSPORT = Symbol('push transport');
/** Token of the `PushProviders`, to be given by tests instead of the configured ones. */
export const PUSH_PROVIDERS_TOKEN = Symbol('push providers');
