/** A VAPID key pair in unpadded base64url, as credentials of `webpush` and browsers take it. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Generates a VAPID key pair by `web-push`, which is loaded on the first call. */
export async function generateVapidKeys(): Promise<VapidKeys> {
  const { default: webPush } = await import('web-push');
  return webPush.generateVAPIDKeys();
}
