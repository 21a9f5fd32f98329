/** One of the two ways to name an app. */
export interface AppReference {
  readonly by: 'id' | 'key';
  readonly value: string;
}

const MAX_LENGTH = { id: 64, key: 255 } as const;

/** The name of an app in the shared cache. */
export const cacheKey = ({ by, value }: AppReference): string => `app:${by}:${value}`;

/** Returns false for values that cannot be an app id or key. Such values are not looked up, cached or sent anywhere. */
export const isPossible = ({ by, value }: AppReference): boolean =>
  value !== '' && value.length <= MAX_LENGTH[by];
