/** What a browser says of its network. */
interface NetworkListener {
  /** It is there again, or somebody looks at the page again: while nobody did, it may have come and gone. */
  readonly online: () => void;
  readonly offline: () => void;
}

/** Listens where the runtime tells of its network at all. Returns what ends it. */
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
