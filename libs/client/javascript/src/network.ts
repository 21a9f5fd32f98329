/** Network events of a browser. */
interface NetworkListener {
  /**
   * The network is available again, or the page became visible again: it may have changed while the page was hidden.
   */
  readonly online: () => void;
  readonly offline: () => void;
}

/** Listens for network events if the runtime has them. Returns a function that stops it. */
export function followNetwork({ online, offline }: NetworkListener): () => void {
  const page = globalThis as { readonly document?: EventTarget & { readonly visibilityState: string } };
  const stops = [
    follow(globalThis, 'online', online),
    follow(globalThis, 'offline', offline),
    follow(page.document, 'visibilitychange', () => {
      if (page.document?.visibilityState === 'visible') online();
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

function follow(target: Partial<EventTarget> | undefined, event: string, listener: () => void): () => void {
  target?.addEventListener?.(event, listener);
  return () => target?.removeEventListener?.(event, listener);
}
