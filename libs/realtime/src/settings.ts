import { cpus } from 'node:os';
import type { Config } from '@carillon/config';
import type { OutletBounds } from './delivery/outlet.js';
import type { CleanupOptions } from './leave/cleanup-queue.js';

/** Converts a configured limit: null or 0 means unlimited. */
const unbounded = (value: number | null): number => (value === null || value === 0 ? Infinity : value);

export const maxSubscriptions = ({ websocket }: Config): number =>
  unbounded(websocket.max_subscriptions_per_connection);

export function outletBounds({ websocket }: Config): OutletBounds {
  const maxBytes = unbounded(websocket.max_bytes);
  return {
    maxFrames: unbounded(websocket.max_messages),
    maxBytes,
    // The queue of a client below this threshold is not checked.
    slowBytes: Math.min(websocket.write_buffer_size, maxBytes),
    disconnects: websocket.disconnect_on_buffer_full,
    compress: websocket.compression !== 'disabled',
  };
}

export function cleanupOptions({ cleanup }: Config): CleanupOptions {
  const { worker_threads } = cleanup;
  const automatic = Math.min(4, Math.max(1, Math.floor(cpus().length / 4)));
  return { ...cleanup, workers: worker_threads === 'auto' ? automatic : worker_threads };
}
