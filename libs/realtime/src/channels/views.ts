import type { Audience, Subscription } from './audience.js';

const NO_OTHERS: readonly Audience[] = [];

/** Returns the subscription of a subscriber with a single view. */
export const alone = (audience: Audience, userId: string | null): Subscription =>
  userId === null ? audience.plain : { ...audience.plain, userId };

/** Returns its audience for this view of its codecs; undefined if it has none. */
export const viewOf = ({ audience, others }: Subscription, view: string | undefined): Audience | undefined =>
  audience.codec.view === view ? audience : others.find(({ codec }) => codec.view === view);

/** Returns all audiences of a subscription. */
export const viewsOf = ({ audience, others }: Subscription): readonly Audience[] =>
  others.length === 0 ? [audience] : [audience, ...others];

/** Returns all audiences of a subscription but one. */
export const without = (subscription: Subscription, left: Audience): readonly Audience[] =>
  subscription.others.length === 0 ? NO_OTHERS : viewsOf(subscription).filter((one) => one !== left);
