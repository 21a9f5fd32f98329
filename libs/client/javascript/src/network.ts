/** What a browser says of its network. */
interface NetworkListener {
  readonly online: () => void;
  readonly offline: () => void;
}

/** Listens where the runtime tells of its network at all. Returns what ends it. */
export function followNetwork({ online, offline }: NetworkListener): () => void {
  const target = globalThis as Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>>;
  if (target.addEventListener === undefined || target.removeEventListener === undefined)
    return () => undefined;
  target.addEventListener('online', online);
  target.addEventListener('offline', offline);
  return () => {
    target.removeEventListener?.('online', online);
    target.removeEventListener?.('offline', offline);
  };
}
