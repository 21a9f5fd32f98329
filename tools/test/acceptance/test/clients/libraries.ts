// The client libraries as they are published. Both are CommonJS, which TypeScript and Node see differently.
import EchoModule from 'laravel-echo';
import pusherModule from 'pusher-js';
import PusherServer from 'pusher';

/** pusher-js: what nearly every browser speaks to such a service with. */
export const PusherClient = pusherModule as unknown as typeof pusherModule.default;
export type PusherClient = InstanceType<typeof PusherClient>;
export type PusherOptions = ConstructorParameters<typeof PusherClient>[1];

/** Laravel Echo on top of pusher-js. */
export const Echo = EchoModule;

/** The library of a customer's own server. */
export { PusherServer };
