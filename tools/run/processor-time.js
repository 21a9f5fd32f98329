// Processor time of a process together with its child processes that have ended and been waited for.
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every platform that Node supports. */
const TICK_MS = 10;

/** Returns the milliseconds used so far; without the child processes where the system has no /proc. */
export function processorMs() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8');
    // The command's name is in parentheses and may itself contain some; the fields follow the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
