/** Messages of the embedded server to its parent process. */
export type ServerNews =
  | { readonly kind: 'ready' }
  /** The folder was filled; the next start opens it. */
  | { readonly kind: 'made' }
  /** `final`: trying again would fail just the same. */
  | { readonly kind: 'failed'; readonly reason: string; readonly final: boolean };

/** The one order that it gets. The death of that process counts as one too. */
export const STOP = 'stop';

export function isNews(message: unknown): message is ServerNews {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
