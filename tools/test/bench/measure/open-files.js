import { readFileSync } from 'node:fs';
import { BenchError } from '../settings/bench-error.js';

/** What a process has open besides the load's connections, generously. */
const OTHER_FILES = 100;

/** The soft limit in a /proc/PID/limits text; null when there is none to find. @param {string} text */
export function parseOpenFiles(text) {
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? null : Number(soft);
}

/** @param {number | 'self'} pid */
function openFilesOf(pid) {
  try {
    return parseOpenFiles(readFileSync(`/proc/${pid}/limits`, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Fails early, with the reason, where a run would end in connections that cannot be opened. In a tree of processes the
 * one that serves has the highest limit: Node raises its own.
 * @param {number[]} pids of the server; empty when unknown
 * @param {number} connections
 */
export function requireOpenFiles(pids, connections) {
  const limits = pids.map(openFilesOf).filter((limit) => limit !== null);
  const least = Math.min(openFilesOf('self') ?? Infinity, limits.length > 0 ? Math.max(...limits) : Infinity);
  if (least >= connections + OTHER_FILES) return;
  throw new BenchError(`a process here may open ${least} files: too few for ${connections} connections`);
}
